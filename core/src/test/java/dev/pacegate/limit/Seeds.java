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
    long all = Math.max(1, (long) cases * times * Integer.getInteger("pacegate.volume", 100) / 100);
    forEach(FIRST, all, body);
  }

  /** Runs cases that no earlier run had, and prints where they begin. */
  static void forEachNew(int cases, String name, Case body) {
    long first = System.nanoTime();
    System.out.println(name + ": " + cases + " cases from -Dpacegate.seed=" + first);
    forEach(first, cases, body);
  }

  private static void forEach(long first, long cases, Case body) {
    Long only = Long.getLong("pacegate.seed");
    if (only != null) {
      run(only, body);
      return;
    }
    for (long i = 0; i < cases; i++) {
      run(first + i, body);
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
