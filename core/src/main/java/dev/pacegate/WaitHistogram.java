package dev.pacegate;

import java.time.Duration;

/**
 * How long requests have waited, in steps of powers of two.
 *
 * <p>Immutable. A wait is known to within a factor of two, rounded up.
 */
public final class WaitHistogram {

  private final long[] counts; // counts[i]: waits below 2^i nanoseconds, and not below half of that

  private WaitHistogram(long[] counts) {
    this.counts = counts;
  }

  /** Returns how many have waited at all or not. */
  public long count() {
    long sum = 0;
    for (long count : counts) {
      sum += count;
    }
    return sum;
  }

  /** Returns how many went without waiting. */
  public long countWithoutWait() {
    return counts[0];
  }

  /**
   * Returns a wait that the given share of all requests did not exceed.
   *
   * @param share from 0 to 1: 0.99 for the 99th percentile
   * @throws IllegalArgumentException if {@code share} is not from 0 to 1
   */
  public Duration percentile(double share) {
    if (!(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException("share must be from 0 to 1: " + share);
    }
    long enough = (long) Math.ceil(share * count());
    long sum = 0;
    for (int i = 0; i < counts.length; i++) {
      sum += counts[i];
      if (sum >= enough) {
        return upTo(i);
      }
    }
    return upTo(counts.length - 1);
  }

  /** Returns a wait that no request exceeded. */
  public Duration max() {
    return percentile(1);
  }

  private static Duration upTo(int step) {
    return step == 0 ? Duration.ZERO : Duration.ofNanos(step < 63 ? 1L << step : Long.MAX_VALUE);
  }

  @Override
  public String toString() {
    return "p50 " + percentile(0.5) + ", p99 " + percentile(0.99) + ", max " + max();
  }

  /** Counts waits. Guarded by the gate. */
  static final class Counter {
    private final long[] counts = new long[64];

    void add(long nanos) {
      counts[64 - Long.numberOfLeadingZeros(nanos)]++;
    }

    /** Returns what was counted, and {@code total} in all: the rest went without waiting. */
    WaitHistogram of(long total) {
      long[] copy = counts.clone();
      copy[0] = total;
      for (int i = 1; i < copy.length; i++) {
        copy[0] -= copy[i];
      }
      return new WaitHistogram(copy);
    }
  }
}
