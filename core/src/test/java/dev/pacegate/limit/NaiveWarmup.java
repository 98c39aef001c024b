package dev.pacegate.limit;

import dev.pacegate.limit.spi.Meter;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/** A warm-up: all that was released, from the beginning, in fractions as {@link NaiveBucket}. */
final class NaiveWarmup implements Naive {

  private record Released(long since, long at, long amount) {}

  private final Warmup limit;
  private final BigInteger parts;
  private final List<Released> released = new ArrayList<>();

  NaiveWarmup(Warmup limit) {
    this.limit = limit;
    this.parts = BigInteger.valueOf(limit.rate().permits());
  }

  @Override
  public long wait(long since, long now, Cost cost) {
    if (limit.of().of(cost) == 0) {
      return 0;
    }
    BigInteger wait = ceil(heat().paidAt()).subtract(BigInteger.valueOf(now));
    return wait.max(BigInteger.ZERO).min(BigInteger.valueOf(Meter.LONGEST)).longValueExact();
  }

  @Override
  public void release(long since, long now, Cost cost) {
    if (limit.of().of(cost) > 0) {
      released.add(new Released(since, now, limit.of().of(cost)));
    }
  }

  /** After a release at {@code at}; what went at that instant is paid from one time to another. */
  private record Heat(long at, BigInteger paidFrom, BigInteger paidAt, BigInteger warm) {}

  private Heat heat() {
    BigInteger slack = whole(limit.slackNanos());
    var heat = new Heat(-1, slack.negate(), slack.negate(), BigInteger.ZERO);
    for (Released one : released) {
      BigInteger at = whole(one.at);
      BigInteger price = whole(ceil(heat.paidAt).subtract(ceil(heat.paidFrom)));
      BigInteger from = whole(ceil(heat.paidAt)).max(whole(heat.at).add(price));
      BigInteger idle = whole(Math.min(one.since, one.at)).subtract(from).max(BigInteger.ZERO);
      BigInteger calm = price.min(whole(limit.overNanos() - 1));
      BigInteger warm = idle.compareTo(calm) > 0 ? cooled(heat.warm, idle) : heat.warm;
      BigInteger ofWarm =
          BigInteger.valueOf(one.amount).multiply(BigInteger.valueOf(limit.rate().nanos()));
      BigInteger warmer = warm.add(ofWarm).min(whole(ramp() + limit.overNanos() / 2));
      BigInteger all = ofWarm.add(whole(surplus(warm).subtract(surplus(warmer))));
      BigInteger begin = at.subtract(slack).max(heat.paidAt);
      BigInteger end = begin.add(all).min(at.add(whole(Meter.LONGEST)));
      heat = new Heat(one.at, one.at == heat.at ? heat.paidFrom : begin, end, warmer);
    }
    return heat;
  }

  /** Full cold after `over`, in whole nanoseconds rounded down. */
  private BigInteger cooled(BigInteger warm, BigInteger idle) {
    if (idle.compareTo(whole(limit.overNanos())) >= 0) {
      return BigInteger.ZERO;
    }
    BigInteger lost =
        idle.divide(parts)
            .multiply(BigInteger.valueOf(limit.cold() + 5))
            .divide(BigInteger.valueOf(2 * (limit.cold() + 1)));
    BigInteger left = warm.subtract(lost.multiply(parts));
    return left.compareTo(parts) < 0 ? BigInteger.ZERO : left;
  }

  /** The area of the triangle that is left of the ramp. */
  private BigInteger surplus(BigInteger warm) {
    BigInteger left = BigInteger.valueOf(ramp()).subtract(warm.divide(parts));
    if (left.signum() <= 0 || limit.overNanos() == 0) {
      return BigInteger.ZERO;
    }
    return left.pow(2)
        .multiply(BigInteger.valueOf(limit.cold() * limit.cold() - 1))
        .divide(BigInteger.valueOf(limit.overNanos()).multiply(BigInteger.valueOf(4)));
  }

  private long ramp() {
    return 2 * limit.overNanos() / (limit.cold() + 1);
  }

  private BigInteger whole(long nanos) {
    return whole(BigInteger.valueOf(nanos));
  }

  private BigInteger whole(BigInteger nanos) {
    return nanos.multiply(parts);
  }

  private BigInteger ceil(BigInteger fractions) {
    return fractions.add(parts).subtract(BigInteger.ONE).divide(parts);
  }
}
