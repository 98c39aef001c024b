package dev.pacegate.limit;

import java.math.BigInteger;

/**
 * How warm a {@link Warmup} is, and so how much more than the warm time T its permits take.
 *
 * <p>Warmth is measured by what has been released, in the time that this takes at T: from 0
 * (completely cold) up a ramp on which it gets warm, and on through a reserve that idleness uses up
 * first. With W the time to warm up and k the cold factor, the ramp is 2 W / (k + 1) and the
 * reserve W / 2.
 */
/*
 * At a distance a from the end of the ramp a permit takes T (1 + (k^2 - 1) a / (2 W)): k times T at
 * its foot, T at its end. What lies between two distances takes, beyond its T, the difference of
 * the integral f(a) = (k^2 - 1) a^2 / (4 W) at both. As f only rises, and is rounded by itself, no
 * price is ever less than T per permit, and prices add up however a request is split.
 */
final class WarmupCurve {

  private final EmissionInterval emission;
  private final long over;
  private final long cold;
  private final long ramp;
  private final long most;
  private final BigInteger steepness; // k^2 - 1
  private final BigInteger length; // 4 W
  private long warm;
  private long rest; // parts of a nanosecond beside

  WarmupCurve(Rate rate, long over, long cold) {
    this.emission = new EmissionInterval(rate);
    this.over = over;
    this.cold = cold;
    this.ramp = 2 * over / (cold + 1);
    this.most = ramp + over / 2;
    this.steepness = BigInteger.valueOf(cold * cold - 1);
    this.length = BigInteger.valueOf(over).shiftLeft(2);
  }

  /** Warms up by {@code cost}. */
  void add(long cost) {
    long parts = rest + emission.rest(cost);
    long carry = parts >= emission.parts() ? 1 : 0;
    warm = Nanos.add(warm, emission.whole(cost) + carry);
    rest = parts - carry * emission.parts();
    if (warm >= most) {
      warmUp();
    }
  }

  /** Returns how much more than at T {@code cost} takes after idleness. */
  long surplusOf(long cost, long idle) {
    long from = cooled(idle);
    long parts = (from == 0 ? 0 : rest) + emission.rest(cost);
    long to = Nanos.add(from, emission.whole(cost) + (parts >= emission.parts() ? 1 : 0));
    return surplus(from) - surplus(to);
  }

  /** Returns how much more than at T all permits take until it is warm. */
  private long surplus(long warmth) {
    if (warmth >= ramp) {
      return 0;
    }
    BigInteger distance = BigInteger.valueOf(ramp - warmth);
    return distance.multiply(distance).multiply(steepness).divide(length).longValueExact();
  }

  /** Cools down; completely in {@code over}. */
  void cool(long idle) {
    warm = cooled(idle);
    rest = warm == 0 ? 0 : rest;
  }

  private long cooled(long idle) {
    if (idle >= over) {
      return 0;
    }
    long divisor = 2 * (cold + 1);
    long lost = idle / divisor * (cold + 5) + idle % divisor * (cold + 5) / divisor;
    return Math.max(0, warm - lost);
  }

  /** Returns how long it must be idle to be completely cold; 0 if that makes no difference. */
  long untilCold() {
    if (cold == 1 || (warm == 0 && rest == 0)) {
      return 0;
    }
    long times = 2 * (cold + 1);
    long left = Math.min(warm + 1, most);
    long whole = left / (cold + 5) * times + (left % (cold + 5) * times + cold + 4) / (cold + 5);
    return Math.min(whole, over);
  }

  void warmUp() {
    warm = most;
    rest = 0;
  }

  /** Becomes as warm as {@code old}, each relative to its maximum. */
  void succeed(WarmupCurve old) {
    if (old.most == most) {
      warm = old.warm;
    } else if (old.most == 0) {
      warm = most;
    } else {
      BigInteger share = BigInteger.valueOf(old.warm).multiply(BigInteger.valueOf(most));
      warm = share.divide(BigInteger.valueOf(old.most)).longValueExact();
    }
    rest = 0;
  }
}
