/**
 * A simulator in virtual time: a program that sends, a network, and a peer that counts. Begin with
 * {@link dev.pacegate.simulator.Scenario} and {@link dev.pacegate.simulator.Simulation}; inside,
 * {@code World}, {@code Sender} and {@code PeerServer} run a scenario.
 */
@NullMarked
package dev.pacegate.simulator;

import org.jspecify.annotations.NullMarked;
