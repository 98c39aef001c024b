package dev.pacegate.simulator;

import dev.pacegate.limit.Rate;

/**
 * The generic cell rate algorithm (ITU-T I.371), as servers run it: by the theoretical arrival
 * time. The time per permit is rounded up to a nanosecond, as peers do; so its rate is that of the
 * rule or a little less.
 */
final class GcraCounter extends Counter {

  private final long burst;
  private final long perPermit;
  private long arrival = Long.MIN_VALUE; // theoretical
  private long demand = Long.MIN_VALUE; // the same if every request had been counted
  private long since;

  GcraCounter(Rate rate, long burst) {
    this.burst = burst;
    this.perPermit = perPermit(rate);
  }

  static long perPermit(Rate rate) {
    return (rate.nanos() + rate.permits() - 1) / rate.permits();
  }

  @Override
  boolean admits(long stamp, long cost) {
    return Math.max(arrival, stamp) + cost * perPermit - stamp <= burst * perPermit;
  }

  @Override
  void count(long stamp, long cost) {
    arrival = Math.max(arrival, stamp) + cost * perPermit;
  }

  @Override
  void note(long stamp, long cost) {
    if (demand <= stamp) {
      since = stamp;
    }
    demand = Math.max(demand, stamp) + cost * perPermit;
    worst((demand - stamp + perPermit - 1) / perPermit, burst, since, stamp + 1);
  }

  @Override
  double fullness(long stamp) {
    return burst - (double) Math.max(0, arrival - stamp) / perPermit;
  }
}
