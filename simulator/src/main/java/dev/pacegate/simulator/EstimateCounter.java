package dev.pacegate.simulator;

import dev.pacegate.limit.Rate;
import java.math.BigInteger;

/**
 * Fixed windows, one after another, and an estimate of what came in the last interval: what the
 * present window counted, and of the window before it the share that the present one has still to
 * run, as if that had come evenly.
 */
final class EstimateCounter extends Counter {

  private final long max;
  private final long nanos;
  private final long phase;
  private long window = Long.MIN_VALUE; // its beginning
  private long counted;
  private long countedBefore; // in the window before
  private long asked;
  private long askedBefore;

  EstimateCounter(Rate rate, long phase) {
    this.max = rate.permits();
    this.nanos = rate.nanos();
    this.phase = phase;
  }

  @Override
  boolean admits(long stamp, long cost) {
    turn(stamp);
    return counted + cost + left(countedBefore, stamp) <= max;
  }

  @Override
  void count(long stamp, long cost) {
    turn(stamp);
    counted += cost;
  }

  @Override
  void note(long stamp, long cost) {
    turn(stamp);
    asked += cost;
    worst(asked + left(askedBefore, stamp), max, window - nanos, stamp + 1);
  }

  private void turn(long stamp) {
    if (window != Long.MIN_VALUE && stamp - window < nanos) {
      return;
    }
    long next = stamp - Math.floorMod(stamp - phase, nanos);
    boolean follows = window != Long.MIN_VALUE && next - window == nanos;
    window = next;
    countedBefore = follows ? counted : 0;
    askedBefore = follows ? asked : 0;
    counted = 0;
    asked = 0;
  }

  /** Returns what is left of the window before. Rounded up: all else is whole, and so is max. */
  private long left(long before, long stamp) {
    long share = nanos - (stamp - window);
    if (Math.multiplyHigh(before, share) == 0 && before * share >= 0) {
      return before * share / nanos + (before * share % nanos == 0 ? 0 : 1);
    }
    BigInteger[] exact =
        BigInteger.valueOf(before)
            .multiply(BigInteger.valueOf(share))
            .divideAndRemainder(BigInteger.valueOf(nanos));
    return exact[0].longValueExact() + exact[1].signum();
  }

  @Override
  double fullness(long stamp) {
    turn(stamp);
    return counted + countedBefore * (double) (nanos - (stamp - window)) / nanos;
  }
}
