package dev.pacegate.simulator;

import dev.pacegate.limit.Rate;

/**
 * A bucket in units of which a permit has as many as the interval has nanoseconds, and a nanosecond
 * adds as many as the rate has permits, so that nothing is ever rounded.
 */
final class BucketCounter extends Counter {

  private final long burst;
  private final long permit; // units
  private final long perNano; // units
  private final long full; // units
  private long level;
  private long demand; // the level if every request had been counted: may be below 0
  private long last = Long.MIN_VALUE;
  private long since;

  BucketCounter(Rate rate, long burst) {
    this.burst = burst;
    this.permit = rate.nanos();
    this.perNano = rate.permits();
    this.full = burst * permit;
    this.level = full;
    this.demand = full;
  }

  @Override
  boolean admits(long stamp, long cost) {
    fill(stamp);
    return level >= cost * permit;
  }

  @Override
  void count(long stamp, long cost) {
    fill(stamp);
    level -= cost * permit;
  }

  @Override
  void note(long stamp, long cost) {
    fill(stamp);
    if (demand == full) {
      since = stamp;
    }
    demand -= cost * permit;
    long missing = demand >= 0 ? 0 : (-demand + permit - 1) / permit;
    long used = demand >= 0 ? (full - demand + permit - 1) / permit : burst + missing;
    worst(used, burst, since, stamp + 1);
  }

  private void fill(long stamp) {
    long nanos = last == Long.MIN_VALUE ? 0 : stamp - last;
    last = stamp;
    level = filled(level, nanos);
    demand = filled(demand, nanos);
  }

  private long filled(long from, long nanos) {
    long missing = full - from;
    return nanos > missing / perNano ? full : Math.min(full, from + nanos * perNano);
  }

  @Override
  double fullness(long stamp) {
    fill(stamp);
    return (double) level / permit;
  }
}
