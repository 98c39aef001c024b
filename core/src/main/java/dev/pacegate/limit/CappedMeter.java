package dev.pacegate.limit;

import static dev.pacegate.limit.Nanos.add;

/**
 * The common state of the meters of limits under which a cost above their maximum never goes, and
 * one of 0 goes at once.
 */
abstract class CappedMeter extends LeafMeter {

  final long max;

  CappedMeter(Measure measure, long max) {
    super(measure);
    this.max = max;
  }

  @Override
  public final long nanosUntil(long since, long now, Cost cost) {
    long amount = measure.of(cost);
    if (amount == 0) {
      return 0;
    }
    return amount > max ? NEVER : untilFits(amount, now);
  }

  /** As {@link #nanosUntil}, for an amount from 1 to the maximum. */
  abstract long untilFits(long amount, long now);

  @Override
  public final long atLeast(long since, long now, Cost ahead, Cost cost) {
    long amount = measure.of(cost);
    if (amount > max) {
      return NEVER;
    }
    long all = add(measure.of(ahead), amount);
    return all == 0 ? 0 : atLeast(since, now, all, amount);
  }

  /**
   * As {@link #atLeast(long, long, Cost, Cost)}, for an amount up to the maximum, the last of
   * {@code all}.
   */
  abstract long atLeast(long since, long now, long all, long amount);

  /** Returns a permit's weight: more than the maximum counts as all of it. */
  final long amount(Cost cost) {
    return Math.min(measure.of(cost), max);
  }
}
