package dev.pacegate.simulator;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;
import java.util.List;

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

  /** Checks the range, and that the limit counts costs if there are any but 1. */
  public Scenario {
    if (sends < 1) {
      throw new IllegalArgumentException("there must be at least 1 send: " + sends);
    }
    if (client.mostCost() > 1 && !takesPlainCosts(limit)) { // the limiter would refuse them
      throw new IllegalArgumentException(
          "cost: "
              + limit
              + " counts no plain cost, so "
              + client.leastCost()
              + ".."
              + client.mostCost()
              + " limits nothing: leave it at 1, or add a limit that counts the cost");
    }
  }

  private static boolean takesPlainCosts(Limit limit) {
    List<Promise> promises = limit.promises();
    return promises.isEmpty()
        || promises.stream().anyMatch(promise -> promise.of().equals(Measure.PLAIN));
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
