package dev.pacegate.simulator;

import dev.pacegate.limit.Limit;

/**
 * A world to simulate: a program that paces itself with {@code limit}, a network and a peer.
 *
 * @param limit the limit of the program
 * @param client the program
 * @param network the network in between
 * @param peer the other side
 * @param sends how many requests there are
 * @param seed the seed of everything random
 */
public record Scenario(
    Limit limit, Client client, Network network, PeerSide peer, long sends, long seed) {

  /** Checks the range. */
  public Scenario {
    if (sends < 1) {
      throw new IllegalArgumentException("there must be at least 1 send: " + sends);
    }
  }

  /** Returns the same world with another limit. */
  public Scenario with(Limit limit) {
    return new Scenario(limit, client, network, peer, sends, seed);
  }

  /** Returns the same world with another peer. */
  public Scenario with(PeerSide peer) {
    return new Scenario(limit, client, network, peer, sends, seed);
  }

  /** Returns the same world with another client. */
  public Scenario with(Client client) {
    return new Scenario(limit, client, network, peer, sends, seed);
  }
}
