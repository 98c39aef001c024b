package dev.pacegate.simulator.estimate;

import java.math.BigInteger;

/**
 * A whole number of 128 bits, in two's complement. An amount times an interval fits, and so does a
 * sum of two of them.
 */
record Wide(long high, long low) implements Comparable<Wide> {

  static final Wide ZERO = new Wide(0, 0);

  private static final double TWO_TO_64 = 0x1p64;

  static Wide product(long a, long b) {
    return new Wide(Math.multiplyHigh(a, b), a * b);
  }

  Wide plus(Wide other) {
    long sum = low + other.low;
    int carry = Long.compareUnsigned(sum, low) < 0 ? 1 : 0;
    return new Wide(high + other.high + carry, sum);
  }

  Wide minus(Wide other) {
    int borrow = Long.compareUnsigned(low, other.low) < 0 ? 1 : 0;
    return new Wide(high - other.high - borrow, low - other.low);
  }

  int signum() {
    return high != 0 ? Long.signum(high) : low != 0 ? 1 : 0;
  }

  /** Returns this, 0 or more, divided by {@code divisor}: the quotient or a little less. */
  long atMostOver(long divisor) {
    if (high == 0 && low >= 0) {
      return low / divisor;
    }
    double unsigned = (low >>> 1) * 2.0 + (low & 1);
    double quotient = (high * TWO_TO_64 + unsigned) / divisor;
    return (long) (quotient * (1 - 0x1p-50)); // more than all roundings
  }

  BigInteger toBigInteger() {
    BigInteger unsigned =
        BigInteger.valueOf(low >>> 1).shiftLeft(1).add(BigInteger.valueOf(low & 1));
    return BigInteger.valueOf(high).shiftLeft(64).add(unsigned);
  }

  @Override
  public int compareTo(Wide other) {
    return high != other.high
        ? Long.compare(high, other.high)
        : Long.compareUnsigned(low, other.low);
  }
}
