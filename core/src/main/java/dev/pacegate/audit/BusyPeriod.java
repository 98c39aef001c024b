package dev.pacegate.audit;

import dev.pacegate.limit.Rate;
import java.math.BigInteger;

/**
 * The level of a bucket without a bottom limit on depth: filled by what is counted, drained at the
 * rate. When it is empty, a new busy period begins.
 *
 * <p>Its level is in permits times the nanoseconds of the rate, which makes it exact.
 */
final class BusyPeriod {

  private final Rate rate;
  private BigInteger level = BigInteger.ZERO;
  private BigInteger counted = BigInteger.ZERO;
  private long from;
  private long now;
  long bound; // how much more than is replenished the intervals that begin with it may hold

  BusyPeriod(Rate rate, long now) {
    this.rate = rate;
    this.from = now;
    this.now = now;
  }

  /** Drains to {@code instant}, no earlier than the one before. */
  void drain(long instant) {
    level = level.subtract(product(instant - now, rate.permits()));
    now = instant;
    if (level.signum() <= 0) {
      level = BigInteger.ZERO;
      counted = BigInteger.ZERO;
      from = instant;
    }
  }

  /** Counts {@code amount} at the instant drained to. */
  void add(long amount) {
    level = level.add(product(amount, rate.nanos()));
    counted = counted.add(BigInteger.valueOf(amount));
  }

  boolean isEmpty() {
    return level.signum() == 0;
  }

  BigInteger level() {
    return level;
  }

  BigInteger counted() {
    return counted;
  }

  /** Returns when it began. */
  long from() {
    return from;
  }

  static BigInteger product(long a, long b) {
    return BigInteger.valueOf(a).multiply(BigInteger.valueOf(b));
  }
}
