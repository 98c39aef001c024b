package dev.pacegate.micrometer;

import dev.pacegate.Snapshot;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;
import org.jspecify.annotations.Nullable;

/** The rate that a limit allows in the long run, and how much of that was spent. */
final class LimitRate {

  private static final int INTERVALS = 1_000;
  private static final long LONGEST = Long.MAX_VALUE / (2 * INTERVALS);

  private LimitRate() {}

  /** Returns the smallest rate of its promises, in units a second; NaN if none bounds it. */
  static double of(Limit limit) {
    Promise slowest = slowest(limit);
    return slowest == null ? Double.NaN : of(slowest);
  }

  /** Returns what the promise of that rate has counted so far: requests, or what they cost. */
  static double spent(Snapshot snapshot) {
    Promise slowest = slowest(snapshot.limit());
    boolean countsCalls = slowest != null && slowest.of().entry() == Measure.Entry.CALLS;
    return countsCalls ? snapshot.granted() : snapshot.grantedUnits();
  }

  private static @Nullable Promise slowest(Limit limit) {
    Promise slowest = null;
    for (Promise promise : limit.promises()) {
      if (promise.length() > 0 && promise.of().entry() != Measure.Entry.NAMED) {
        slowest = slowest == null || of(promise) < of(slowest) ? promise : slowest;
      }
    }
    return slowest;
  }

  /** Counts what a long span allows beyond one of half its length: bursts count in both. */
  private static double of(Promise promise) {
    long span = Math.min(promise.length(), LONGEST) * INTERVALS;
    return (promise.most(2 * span) - promise.most(span)) * 1e9 / span;
  }
}
