package dev.pacegate.simulator;

import dev.pacegate.time.Durations;

/**
 * A random duration: {@code 40ms}; {@code 20ms..80ms}, uniform; or {@code lognormal(50ms,
 * p99=400ms)}, of which half are shorter than 50 ms, one in a hundred is longer than 400 ms, and
 * none is longer than a hundred times the median.
 */
public sealed interface Delay {

  /** No delay at all. */
  Delay NONE = new Between(0, 0);

  /** Returns a random duration, in nanoseconds. */
  long draw(Chance chance);

  /** Returns the longest possible duration, in nanoseconds. */
  long longest();

  /**
   * Parses a delay.
   *
   * @throws IllegalArgumentException if {@code text} is no delay; the message says what is allowed
   */
  static Delay parse(String text) {
    String stripped = text.strip();
    if (stripped.contains("(")) {
      return LogNormal.of(new Words(stripped));
    }
    int dots = stripped.indexOf("..");
    if (dots < 0) {
      long nanos = nanos(stripped);
      return new Between(nanos, nanos);
    }
    return new Between(nanos(stripped.substring(0, dots)), nanos(stripped.substring(dots + 2)));
  }

  private static long nanos(String text) {
    try {
      return Durations.parseNanos(text.strip());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          e.getMessage() + " (a delay is 40ms, 20ms..80ms or lognormal(50ms, p99=400ms))", e);
    }
  }

  /**
   * A uniform distribution between two durations.
   *
   * @param least the shortest, in nanoseconds
   * @param most the longest, in nanoseconds
   */
  record Between(long least, long most) implements Delay {

    /** Checks the order. */
    public Between {
      if (least < 0 || most < least || most > MOST) {
        throw new IllegalArgumentException(
            "a delay must go from the shorter to the longer, of at most an hour: "
                + Durations.format(least)
                + ".."
                + Durations.format(most));
      }
    }

    @Override
    public long draw(Chance chance) {
      return least == most ? least : least + chance.below(most - least + 1);
    }

    @Override
    public long longest() {
      return most;
    }

    @Override
    public String toString() {
      String from = Durations.format(least);
      return least == most ? from : from + ".." + Durations.format(most);
    }
  }

  /** The longest delay that is allowed, in nanoseconds: an hour. */
  long MOST = 3_600_000_000_000L;

  /**
   * A log-normal distribution: usually short, sometimes long.
   *
   * @param median half are shorter than this, in nanoseconds
   * @param p99 99 of 100 are shorter than this, in nanoseconds
   */
  record LogNormal(long median, long p99) implements Delay {

    private static final double QUANTILE = 2.3263478740408408;

    /** Checks the order. */
    public LogNormal {
      if (median < 1 || p99 <= median || p99 > 100 * median || p99 > MOST) {
        throw new IllegalArgumentException(
            "lognormal takes a median and a longer p99, at most 100 times as long and an hour: "
                + Durations.format(median)
                + ", "
                + Durations.format(p99));
      }
    }

    static LogNormal of(Words words) {
      if (!words.name().equals("lognormal") || !words.has("p99")) {
        throw words.wrong("is no delay: 40ms, 20ms..80ms or lognormal(50ms, p99=400ms)");
      }
      words.allow("p99");
      return new LogNormal(words.positiveNanos(), words.nanos("p99", 0));
    }

    @Override
    public long draw(Chance chance) {
      double sigma = StrictMath.log((double) p99 / median) / QUANTILE;
      double factor = StrictMath.exp(sigma * chance.gaussian());
      return (long) (median * Math.min(100, factor));
    }

    @Override
    public long longest() {
      return 100 * median;
    }

    @Override
    public String toString() {
      return "lognormal(" + Durations.format(median) + ", p99=" + Durations.format(p99) + ")";
    }
  }
}
