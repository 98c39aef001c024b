package dev.pacegate.limit;

import dev.pacegate.time.Durations;
import java.math.BigInteger;
import java.time.Duration;

/**
 * A number of permits per span of time, exactly as written: {@code 10/1m} is not a rate per second.
 *
 * @param permits 1 or more, and at most one per nanosecond
 * @param nanos the span in nanoseconds, from 1 to a hundred years
 */
public record Rate(long permits, long nanos) {

  /** Checks the ranges. */
  public Rate {
    if (permits < 1) {
      throw new IllegalArgumentException(
          "a rate must be at least 1 permit: " + permits + " (to stop everything, use pause())");
    }
    Spans.positive("the interval of a rate", nanos);
    if (permits > nanos) {
      throw new IllegalArgumentException(
          "a rate must be at most 1 permit per nanosecond: "
              + permits
              + "/"
              + Durations.decimal(nanos));
    }
  }

  /** Returns {@code permits} per {@code interval}. */
  public static Rate of(long permits, Duration interval) {
    return new Rate(permits, Spans.nanos("interval", interval));
  }

  /** Returns the faster of this rate and {@code other}. */
  Rate faster(Rate other) {
    long high = Math.multiplyHigh(permits, other.nanos) - Math.multiplyHigh(other.permits, nanos);
    boolean atLeast =
        high != 0
            ? high > 0
            : Long.compareUnsigned(permits * other.nanos, other.permits * nanos) >= 0;
    return atLeast ? this : other;
  }

  /** Returns the number of whole permits in {@code span} nanoseconds, saturating. */
  long permitsIn(long span) {
    BigInteger total = BigInteger.valueOf(span).multiply(BigInteger.valueOf(permits));
    return total
        .divide(BigInteger.valueOf(nanos))
        .min(BigInteger.valueOf(Long.MAX_VALUE))
        .longValueExact();
  }

  /** Returns for example {@code 10/1m}. */
  @Override
  public String toString() {
    return permits + "/" + Durations.format(nanos);
  }
}
