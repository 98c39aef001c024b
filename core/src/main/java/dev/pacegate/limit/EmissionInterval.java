package dev.pacegate.limit;

import dev.pacegate.limit.spi.Meter;
import java.math.BigInteger;

/**
 * The exact emission interval of a rate: {@code cost} permits take {@code cost * nanos / permits},
 * as whole nanoseconds and a rest in fractions of {@link #parts}. Saturates at {@link
 * Meter#LONGEST}.
 */
final class EmissionInterval {

  private static final BigInteger LONGEST = BigInteger.valueOf(Meter.LONGEST);

  private final long nanos;
  private final long parts;

  EmissionInterval(Rate rate) {
    long divisor = gcd(rate.nanos(), rate.permits());
    this.nanos = rate.nanos() / divisor;
    this.parts = rate.permits() / divisor;
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  /** Returns in how many parts a nanosecond is divided. */
  long parts() {
    return parts;
  }

  /** Returns the whole nanoseconds that {@code cost} permits take. */
  long whole(long cost) {
    long product = cost * nanos;
    if (Math.multiplyHigh(cost, nanos) == 0 && product >= 0) {
      return parts == 1 ? Nanos.capped(product) : product / parts;
    }
    return exact(cost).divide(BigInteger.valueOf(parts)).min(LONGEST).longValueExact();
  }

  /** Returns the remaining fraction of a nanosecond, in parts, that {@code cost} permits take. */
  long rest(long cost) {
    if (parts == 1) {
      return 0;
    }
    long product = cost * nanos;
    if (Math.multiplyHigh(cost, nanos) == 0 && product >= 0) {
      return product % parts;
    }
    return exact(cost).mod(BigInteger.valueOf(parts)).longValueExact();
  }

  /** Returns the time that {@code cost} permits take, rounded up. */
  long ceil(long cost) {
    return Nanos.capped(whole(cost) + (rest(cost) > 0 ? 1 : 0));
  }

  /** Returns whether a permit takes less time than one of {@code other}. */
  boolean isFasterThan(EmissionInterval other) {
    return exact(other.parts).compareTo(other.exact(parts)) < 0;
  }

  boolean isLike(EmissionInterval other) {
    return nanos == other.nanos && parts == other.parts;
  }

  private BigInteger exact(long cost) {
    return BigInteger.valueOf(cost).multiply(BigInteger.valueOf(nanos));
  }

  /** Converts time of this rate into the time that as many permits take at {@code other}. */
  long convert(long whole, long rest, EmissionInterval other) {
    BigInteger thisParts = BigInteger.valueOf(whole).multiply(BigInteger.valueOf(parts));
    BigInteger numerator = thisParts.add(BigInteger.valueOf(rest)).multiply(big(other.nanos));
    BigInteger denominator = big(nanos).multiply(big(other.parts));
    BigInteger ceil = numerator.add(denominator).subtract(BigInteger.ONE).divide(denominator);
    return ceil.min(LONGEST).longValueExact();
  }

  private static BigInteger big(long value) {
    return BigInteger.valueOf(value);
  }
}
