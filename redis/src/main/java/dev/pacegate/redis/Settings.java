package dev.pacegate.redis;

import java.time.Duration;

/**
 * What is set for all limits of a store.
 *
 * @param whenDown what requests do while the store cannot be reached
 * @param partition for how long a server that was replaced may go on granting
 * @param fresh whether a name that the store does not know has never been used
 */
record Settings(WhenDown whenDown, Duration partition, boolean fresh) {}
