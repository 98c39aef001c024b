package dev.pacegate.limit;

import java.util.SplittableRandom;

/**
 * Random cases, each from a seed that a failure prints.
 *
 * <p>{@code -Dpacegate.seed=N} repeats the case of that seed alone, {@code -Dpacegate.volume=N}
 * runs N of a hundred cases, or ten times as many with 1000. The build runs a quarter of them, the
 * nightly part {@code jdk25-all} all.
 */
public final class Seeds {

  private static final long FIRST = 1_000_000;
  private static int times = 1;

  private Seeds() {}

  /** One random case. */
  @FunctionalInterface
  public interface Case {
    void run(SplittableRandom random);
  }

  public static void forEach(int cases, Case body) {
    Long only = Long.getLong("pacegate.seed");
    if (only != null) {
      run(only, body);
      return;
    }
    long all = Math.max(1, (long) cases * times * Integer.getInteger("pacegate.volume", 100) / 100);
    for (long i = 0; i < all; i++) {
      run(FIRST + i, body);
    }
  }

  /** Lets {@code tests} run so many times as many cases. */
  static void withMore(int more, Runnable tests) {
    times = more;
    try {
      tests.run();
    } finally {
      times = 1;
    }
  }

  private static void run(long seed, Case body) {
    try {
      body.run(new SplittableRandom(seed));
    } catch (RuntimeException | AssertionError failure) {
      throw new AssertionError(
          "with -Dpacegate.seed=" + seed + ": " + failure.getMessage(), failure);
    }
  }
}
