/**
 * Worlds in virtual time: a program that sends, a network and a peer that counts.
 *
 * <p>Start with {@link dev.pacegate.simulator.Scenario}, then {@code World}, {@code Sender} and
 * {@code PeerServer}.
 */
@NullMarked
package dev.pacegate.simulator;

import org.jspecify.annotations.NullMarked;
