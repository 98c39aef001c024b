package dev.pacegate.audit;

import dev.pacegate.limit.Rate;

/**
 * What a busy period has counted beyond what was replenished since it began: a bucket of any depth,
 * filled by what is counted and drained by the rate. Empty, it begins anew.
 *
 * <p>Its level is in permits times the nanoseconds of the rate, which makes it exact.
 */
final class BusyPeriod {

  private final Rate rate;
  private final Int128 level = new Int128();
  private long from;
  private long counted;
  private long now;

  BusyPeriod(Rate rate) {
    this.rate = rate;
  }

  /** Brings it up to {@code instant}, no earlier than the one before. */
  void drain(long instant) {
    if (!isEmpty()) {
      level.subtractProduct(instant - now, rate.permits());
    }
    now = instant;
    if (isEmpty()) {
      level.setZero();
      from = instant;
      counted = 0;
    }
  }

  /** Counts {@code amount} at the instant it was brought up to. */
  void add(long amount) {
    level.addProduct(amount, rate.nanos());
    counted = sum(counted, amount);
  }

  static long sum(long a, long b) {
    return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
  }

  boolean isEmpty() {
    return !level.isPositive();
  }

  Int128 level() {
    return level;
  }

  /** Returns when it began. */
  long from() {
    return from;
  }

  long counted() {
    return counted;
  }
}
