package dev.pacegate.micrometer;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;

/** The rate that a limit allows in the long run, in permits of cost 1 a second. */
final class LimitRate {

  private static final int INTERVALS = 1_000;
  private static final long LONGEST = Long.MAX_VALUE / (2 * INTERVALS);

  private LimitRate() {}

  /** Returns the smallest rate of its promises; NaN if none bounds it. */
  static double of(Limit limit) {
    double smallest = Double.NaN;
    for (Promise promise : limit.promises()) {
      if (promise.length() > 0 && promise.of().entry() != Measure.Entry.NAMED) {
        smallest = Double.isNaN(smallest) ? of(promise) : Math.min(smallest, of(promise));
      }
    }
    return smallest;
  }

  /** Counts what a long span allows beyond one of half its length: bursts count in both. */
  private static double of(Promise promise) {
    long span = Math.min(promise.length(), LONGEST) * INTERVALS;
    return (promise.most(2 * span) - promise.most(span)) * 1e9 / span;
  }
}
