package dev.pacegate;

import static java.util.Objects.requireNonNull;

import dev.pacegate.time.Durations;
import java.time.Duration;

/**
 * The distribution of waits, in steps of powers of two.
 *
 * <p>Immutable. A wait is known to within a factor of two, rounded up.
 */
public final class WaitHistogram {

  private final long[] counts; // counts[i]: waits below 2^i nanoseconds, and not below half of that

  private final Duration total;

  private WaitHistogram(long[] counts, Duration total) {
    this.counts = counts;
    this.total = total;
  }

  /**
   * Returns the histogram of {@code counts}: at 0 the number of requests that did not wait, at
   * {@code i} the number of waits below 2<sup>i</sup> nanoseconds and not below half of that.
   *
   * @param total the sum of all waits
   * @throws IllegalArgumentException if there are not 64 counts
   */
  public static WaitHistogram of(long[] counts, Duration total) {
    if (counts.length != 64) {
      throw new IllegalArgumentException("there must be 64 counts: " + counts.length);
    }
    return new WaitHistogram(counts.clone(), requireNonNull(total));
  }

  /** Returns the number of requests, with and without a wait. */
  public long count() {
    long sum = 0;
    for (long count : counts) {
      sum += count;
    }
    return sum;
  }

  /** Returns the number of requests that did not wait. */
  public long countWithoutWait() {
    return counts[0];
  }

  /**
   * Returns the exact number of requests that waited less than 2<sup>{@code power}</sup>
   * nanoseconds. 30 is about a second.
   *
   * @param power from 0, the number of requests that did not wait, to 63, that of all
   * @throws IllegalArgumentException if {@code power} is not from 0 to 63
   */
  public long countBelow(int power) {
    if (power < 0 || power >= counts.length) {
      throw new IllegalArgumentException("power must be from 0 to 63: " + power);
    }
    long sum = 0;
    for (int i = 0; i <= power; i++) {
      sum += counts[i];
    }
    return sum;
  }

  /** Returns the exact sum of all waits. */
  public Duration total() {
    return total;
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
    return "p50 "
        + Durations.brief(percentile(0.5))
        + ", p99 "
        + Durations.brief(percentile(0.99))
        + ", max "
        + Durations.brief(max());
  }
}
