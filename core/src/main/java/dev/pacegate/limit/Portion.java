package dev.pacegate.limit;

import java.math.RoundingMode;

/** So many percent of an amount or of a rate, rounded as it is told. */
record Portion(int percent, RoundingMode rounding) {

  Portion {
    if (percent < 1 || percent > 100) {
      throw new IllegalArgumentException("a share must be from 1 to 100 percent: " + percent);
    }
  }

  /** Returns the portion of {@code permits}, which must come to one at least. */
  long of(long permits, Limit limit) {
    long whole = permits / 100 * percent;
    long rest = permits % 100 * percent;
    long portion = whole + (rounding == RoundingMode.CEILING ? (rest + 99) / 100 : rest / 100);
    if (portion < 1) {
      throw new IllegalArgumentException(percent + " percent of " + limit + " is not one permit");
    }
    return portion;
  }

  /** Returns the span that the portion of a rate takes for what the rate does in {@code nanos}. */
  long longer(long nanos, Limit limit) {
    long times = Nanos.times(nanos, 100);
    boolean tooLong = times == Long.MAX_VALUE || times / percent > Spans.MAX;
    if (tooLong) {
      throw new IllegalArgumentException(percent + " percent of " + limit + " is too slow a rate");
    }
    return rounding == RoundingMode.CEILING ? times / percent : (times + percent - 1) / percent;
  }
}
