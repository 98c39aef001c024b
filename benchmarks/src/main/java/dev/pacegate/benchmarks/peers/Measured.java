package dev.pacegate.benchmarks.peers;

import java.time.Duration;

/**
 * What a server made of a client.
 *
 * @param sent how many requests left the client
 * @param perSecond how many were answered with 200 in a second
 * @param longestStop the longest time in which requests waited while the server could count none
 * @param longestStall the longest time for which the server was stopped
 */
record Measured(
    long sent,
    long answered,
    long refused,
    long timedOut,
    long failed,
    double perSecond,
    Duration longestStop,
    Duration longestStall) {}
