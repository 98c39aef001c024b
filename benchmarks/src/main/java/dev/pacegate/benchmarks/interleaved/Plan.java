package dev.pacegate.benchmarks.interleaved;

import dev.pacegate.benchmarks.Text;
import java.lang.management.ManagementFactory;

/**
 * How much is measured.
 *
 * @param forks how many JVMs, one after the other
 * @param warmUps rounds in each of them before those that count
 * @param rounds rounds in each of them that count
 * @param sliceNanos how long a turn is to take: so short that most slices are not interrupted even
 *     where other programs run
 * @param seed of the order of turns and of what is drawn
 */
record Plan(int forks, int warmUps, int rounds, long sliceNanos, long seed) {

  private static final int ENOUGH = 10;

  /**
   * Returns what takes some minutes.
   *
   * @param quick whether it is to take some seconds, to show that everything works
   */
  static Plan of(boolean quick) {
    long seed = Long.getLong("pacegate.seed", System.nanoTime());
    return quick ? new Plan(2, 20, 20, 100_000, seed) : new Plan(36, 150, 100, 500_000, seed);
  }

  /** Returns the part of one fork, which has an order of its own. */
  Plan fork(int fork) {
    return new Plan(1, warmUps, rounds, sliceNanos, seed + fork);
  }

  /** Returns how it was measured, and on what. */
  String told() {
    var system = ManagementFactory.getOperatingSystemMXBean();
    return String.join(
        "\n",
        Text.format(
            "All take turns within the same JVMs: %d JVMs, and in each of them %d rounds after %d to warm up. In every round each",
            forks, rounds, warmUps),
        Text.format(
            "has one slice of %.1f ms, in an order that is drawn anew (seed %d). Each has classes of its own, so that none is",
            sliceNanos / 1e6, seed),
        "compiled for the calls of another."
            + (forks < ENOUGH ? " **So few JVMs say nothing of speed.**" : ""),
        "",
        Text.format(
            "Machine: %d processors, %s %s, Java %s; load average at the end %.1f: what is above 1 is other work, and noise.",
            system.getAvailableProcessors(),
            system.getName(),
            system.getArch(),
            Runtime.version(),
            system.getSystemLoadAverage()));
  }
}
