package dev.pacegate.benchmarks.peers;

import dev.pacegate.benchmarks.servers.Launcher;
import java.time.Duration;

/**
 * A kind of server, and how clients are set for it.
 *
 * @param name the server and what it is told
 * @param limit the limit for it
 * @param allowed what it says it allows
 * @param pace what libraries are set to that know rates only
 * @param window how long it remembers a request that it has counted
 * @param meaning what a reader should know of it
 */
record Peer(
    String name,
    String limit,
    Pace allowed,
    Pace pace,
    Duration window,
    Launcher launcher,
    String meaning) {

  /** So many in a period. */
  record Pace(int most, Duration period) {
    double perSecond() {
      return most * 1e9 / period.toNanos();
    }
  }
}
