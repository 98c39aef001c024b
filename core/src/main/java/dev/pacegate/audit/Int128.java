package dev.pacegate.audit;

import java.math.BigInteger;

/**
 * A 128-bit integer that changes in place: sums of costs, and of costs times nanoseconds, exactly.
 *
 * <p>All arguments that are longs are 0 or more. Sums of products saturate at 2^127 - 1; sums of
 * single amounts would need 2^64 of them to get there.
 */
final class Int128 implements Comparable<Int128> {

  private long high;
  private long low; // unsigned

  void set(Int128 other) {
    high = other.high;
    low = other.low;
  }

  void setZero() {
    high = 0;
    low = 0;
  }

  void add(long amount) {
    addBoth(0, amount);
  }

  void add(Int128 other) {
    addBoth(other.high, other.low);
  }

  void subtract(long amount) {
    subtractBoth(0, amount);
  }

  void subtract(Int128 other) {
    subtractBoth(other.high, other.low);
  }

  void addProduct(long a, long b) {
    boolean positive = high >= 0;
    addBoth(Math.multiplyHigh(a, b), a * b);
    if (positive && high < 0) {
      high = Long.MAX_VALUE;
      low = -1;
    }
  }

  void subtractProduct(long a, long b) {
    subtractBoth(Math.multiplyHigh(a, b), a * b);
  }

  private void addBoth(long otherHigh, long otherLow) {
    low += otherLow;
    high += otherHigh + (Long.compareUnsigned(low, otherLow) < 0 ? 1 : 0);
  }

  private void subtractBoth(long otherHigh, long otherLow) {
    high -= otherHigh + (Long.compareUnsigned(low, otherLow) < 0 ? 1 : 0);
    low -= otherLow;
  }

  boolean isPositive() {
    return high > 0 || (high == 0 && low != 0);
  }

  /** Returns whether this is more than {@code amount}, which is 0 or more. */
  boolean exceeds(long amount) {
    return high > 0 || (high == 0 && Long.compareUnsigned(low, amount) > 0);
  }

  /** Returns this, or {@link Long#MAX_VALUE} if it is more; for values of 0 or more. */
  long saturated() {
    return exceeds(Long.MAX_VALUE) ? Long.MAX_VALUE : low;
  }

  /** Returns this divided by {@code divisor}, rounded up and saturated; for values of 0 or more. */
  long dividedUp(long divisor) {
    if (high == 0 && low >= 0) {
      return low / divisor + (low % divisor > 0 ? 1 : 0);
    }
    BigInteger[] parts = toBigInteger().divideAndRemainder(BigInteger.valueOf(divisor));
    BigInteger up = parts[0].add(BigInteger.valueOf(parts[1].signum()));
    return up.min(BigInteger.valueOf(Long.MAX_VALUE)).longValueExact();
  }

  BigInteger toBigInteger() {
    return BigInteger.valueOf(high).shiftLeft(64).add(new BigInteger(Long.toUnsignedString(low)));
  }

  @Override
  public int compareTo(Int128 other) {
    return high != other.high
        ? Long.compare(high, other.high)
        : Long.compareUnsigned(low, other.low);
  }

  @Override
  public String toString() {
    return toBigInteger().toString();
  }
}
