package dev.pacegate.simulator.estimate;

import dev.pacegate.audit.Stretch;
import dev.pacegate.audit.Verdict;
import dev.pacegate.time.Durations;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/** The highest estimate of a peer so far, and the verdict on it. */
final class EstimateMaximum {

  private static final BigInteger LONGEST = BigInteger.valueOf(Long.MAX_VALUE);

  private final EstimateAtMost promise;
  private final BigInteger nanos;
  private Wide most = Wide.ZERO; // times nanos
  private Stretch where = new Stretch(0, 0, 0);
  private boolean tooLarge;

  EstimateMaximum(EstimateAtMost promise) {
    this.promise = promise;
    this.nanos = BigInteger.valueOf(promise.nanos());
  }

  /** Takes in an estimate times the interval, of what both windows counted in a stretch. */
  void read(Wide estimate, long present, long last, long from, long to) {
    if (!tooLarge && estimate.compareTo(most) > 0) {
      most = estimate;
      where = new Stretch(saturated(present + last), from, to);
    }
  }

  /** Takes in an estimate above {@link Long#MAX_VALUE}; then no other matters. */
  void readTooLarge(long from, long to) {
    tooLarge = true;
    where = new Stretch(Long.MAX_VALUE, from, to);
  }

  boolean isTooLarge() {
    return tooLarge;
  }

  /** Returns a sum of two amounts, or {@link Long#MAX_VALUE} if it is more. */
  private static long saturated(long sum) {
    return sum < 0 ? Long.MAX_VALUE : sum;
  }

  Verdict verdict() {
    BigInteger value = most.toBigInteger();
    boolean kept =
        !tooLarge && value.compareTo(BigInteger.valueOf(promise.max()).multiply(nanos)) <= 0;
    BigInteger[] whole = value.divideAndRemainder(nanos);
    long measured =
        tooLarge
            ? Long.MAX_VALUE
            : whole[0].add(BigInteger.valueOf(whole[1].signum())).min(LONGEST).longValue();
    String within = where.nanos() == 0 ? "" : " within " + Durations.decimal(where.nanos());
    String found = "highest estimate: " + digits() + ", by " + where.counted() + within;
    return new Verdict(promise, kept, measured, where, found, promise.withMax(measured));
  }

  /** Returns the highest estimate, rounded up to thousandths. */
  private String digits() {
    if (tooLarge) {
      return "more than " + Long.MAX_VALUE;
    }
    BigDecimal highest =
        new BigDecimal(most.toBigInteger()).divide(new BigDecimal(nanos), 3, RoundingMode.CEILING);
    return highest.signum() == 0 ? "0" : highest.stripTrailingZeros().toPlainString();
  }
}
