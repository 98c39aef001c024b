package dev.pacegate.limit;

import dev.pacegate.limit.spi.Meter;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/**
 * A timer, played anew from a list of releases. A tick begins a window, unless no caller waits for
 * it; then the timer stops. What was taken beyond a window is taken from those that follow.
 */
final class NaiveTimer implements Naive {

  private record Release(long since, long at, long amount) {}

  private final Fixed limit;
  private final BigInteger max;
  private final BigInteger interval;
  private final List<Release> releases = new ArrayList<>();

  NaiveTimer(Fixed limit) {
    this.limit = limit;
    this.max = BigInteger.valueOf(limit.rate().permits());
    this.interval = BigInteger.valueOf(limit.rate().nanos());
  }

  @Override
  public long wait(long since, long now, Cost cost) {
    BigInteger amount = BigInteger.valueOf(limit.of().of(cost));
    if (amount.signum() == 0) {
      return 0;
    }
    if (amount.compareTo(max) > 0) {
      return Meter.NEVER;
    }
    var timer = new Timer();
    releases.forEach(timer::release);
    timer.tick(since, now);
    BigInteger beyond = timer.used.add(amount).subtract(max);
    if (!timer.runs || beyond.signum() <= 0) {
      return 0;
    }
    BigInteger ticks = beyond.add(max).subtract(BigInteger.ONE).divide(max);
    return timer
        .begin
        .add(ticks.multiply(interval))
        .subtract(BigInteger.valueOf(now))
        .min(BigInteger.valueOf(Meter.LONGEST))
        .longValueExact();
  }

  @Override
  public void release(long since, long now, Cost cost) {
    if (limit.of().of(cost) > 0) {
      releases.add(new Release(since, now, limit.of().of(cost)));
    }
  }

  private final class Timer {
    boolean runs;
    BigInteger begin = BigInteger.ZERO; // of the window
    BigInteger used = BigInteger.ZERO; // of it, and of those that follow if it is too much

    void release(Release one) {
      tick(one.since, one.at);
      begin = runs ? begin : BigInteger.valueOf(one.at);
      runs = true;
      used = used.add(BigInteger.valueOf(one.amount));
    }

    /** NaiveTimer until {@code now}, when a request asks that has waited since {@code since}. */
    void tick(long since, long now) {
      BigInteger ticks = BigInteger.valueOf(now).subtract(begin).divide(interval);
      if (!runs || ticks.signum() <= 0) {
        return;
      }
      BigInteger paying = used.subtract(BigInteger.ONE).divide(max).min(ticks);
      begin = begin.add(paying.multiply(interval));
      used = used.subtract(paying.multiply(max));
      if (paying.compareTo(ticks) < 0) { // the next tick finds everything paid for
        used = BigInteger.ZERO;
        runs = BigInteger.valueOf(since).compareTo(begin.add(interval)) <= 0;
        begin = begin.add(ticks.subtract(paying).multiply(interval));
      }
    }
  }
}
