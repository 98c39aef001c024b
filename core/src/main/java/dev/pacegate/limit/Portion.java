package dev.pacegate.limit;

import java.util.stream.IntStream;

/** So many percent of an amount or of a rate, and what they leave. */
final class Portion {

  private Portion() {}

  /** Returns the portion of {@code permits} rounded down, which must come to one at least. */
  static long of(int percent, long permits, Limit limit) {
    long portion = of(checked(percent), permits);
    if (portion < 1) {
      throw new IllegalArgumentException(percent + " percent of " + limit + " is not one permit");
    }
    return portion;
  }

  private static long of(int percent, long permits) {
    return permits / 100 * percent + permits % 100 * percent / 100;
  }

  /** Returns what portions of {@code permits}, each rounded down, leave of them. */
  static long rest(long permits, int... percents) {
    percentOfRest(percents);
    return permits - IntStream.of(percents).mapToLong(percent -> of(percent, permits)).sum();
  }

  static int percentOfRest(int... percents) {
    return checked(100 - IntStream.of(percents).map(Portion::checked).sum());
  }

  private static int checked(int percent) {
    if (percent < 1 || percent > 100) {
      throw new IllegalArgumentException("a share must be from 1 to 100 percent: " + percent);
    }
    return percent;
  }

  /** Returns the span that the portion of a rate takes for what the rate does in {@code nanos}. */
  static long longer(int percent, long nanos, Limit limit) {
    long times = Nanos.times(nanos, 100);
    boolean tooLong = times == Long.MAX_VALUE || times / checked(percent) > Spans.MAX;
    if (tooLong) {
      throw new IllegalArgumentException(percent + " percent of " + limit + " is too slow a rate");
    }
    return (times + percent - 1) / percent;
  }
}
