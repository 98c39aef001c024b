package dev.pacegate.audit;

import java.math.BigInteger;

/** The highest value so far and its stretch; of equal values the first. */
record Maximum(BigInteger value, Stretch stretch) {

  /** There was no value yet. */
  static final Maximum NONE = new Maximum(BigInteger.ZERO, Stretch.NONE);

  private static final BigInteger LONGEST = BigInteger.valueOf(Long.MAX_VALUE);

  /** Returns the higher of this and {@code value}, measured in a stretch with {@code counted}. */
  Maximum or(BigInteger value, BigInteger counted, long from, long to) {
    return stretch.isEmpty() || value.compareTo(this.value) > 0
        ? new Maximum(value, new Stretch(saturated(counted), from, to))
        : this;
  }

  /** Returns {@code value}, or {@link Long#MAX_VALUE} if it is more. */
  static long saturated(BigInteger value) {
    return value.min(LONGEST).longValue();
  }
}
