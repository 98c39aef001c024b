package dev.pacegate.limit;

import dev.pacegate.limit.spi.Meter;

/** Saturating arithmetic on durations and sums of cost, none of them negative. */
final class Nanos {

  private Nanos() {}

  /** Adds two numbers that are not negative. */
  static long add(long a, long b) {
    long sum = a + b;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }

  /** Multiplies two numbers that are not negative. */
  static long times(long a, long b) {
    long product = a * b;
    return Math.multiplyHigh(a, b) != 0 || product < 0 ? Long.MAX_VALUE : product;
  }

  /** Keeps a wait below the sentinel values. */
  static long capped(long nanos) {
    return Math.min(nanos, Meter.LONGEST);
  }

  /** Returns the earlier of two instants. */
  static long earlier(long a, long b) {
    return a - b < 0 ? a : b;
  }

  /** Returns the later of two instants. */
  static long later(long a, long b) {
    return a - b >= 0 ? a : b;
  }

  /** Returns how long ago {@code instant} was; 0 if the clock has stepped back behind it. */
  static long since(long instant, long now) {
    return Math.max(0, now - instant);
  }

  /** Returns how long from {@code now} until {@code span} after {@code instant}; at least 0. */
  static long until(long instant, long span, long now) {
    long ahead = instant - now;
    return ahead > 0 ? capped(add(ahead, span)) : Math.max(0, span + ahead);
  }
}
