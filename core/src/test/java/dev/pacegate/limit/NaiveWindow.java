package dev.pacegate.limit;

import dev.pacegate.limit.spi.Meter;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/** A window of starts, or of ends where something is told to end. */
final class NaiveWindow implements Naive {

  private record Counted(long at, long amount) {}

  private final Rate rate;
  private final Measure measure;
  private final long unanswered;
  private final List<Counted> counted = new ArrayList<>();
  private BigInteger open = BigInteger.ZERO;
  private final boolean ends;

  NaiveWindow(Rate rate, Measure measure) {
    this(rate, measure, false, 0);
  }

  NaiveWindow(Rate rate, Measure measure, boolean ends, long unanswered) {
    this.rate = rate;
    this.measure = measure;
    this.ends = ends;
    this.unanswered = unanswered;
  }

  @Override
  public long wait(long since, long now, Cost cost) {
    long amount = measure.of(cost);
    if (amount == 0) {
      return 0;
    }
    if (amount > rate.permits()) {
      return Meter.NEVER;
    }
    if (open.add(BigInteger.valueOf(amount)).compareTo(BigInteger.valueOf(rate.permits())) > 0) {
      return Meter.AT_EVENT;
    }
    return wait(now, amount);
  }

  private long wait(long now, long amount) {
    if (fits(now, amount)) {
      return 0;
    }
    long soonest = Long.MAX_VALUE;
    for (Counted one : counted) {
      long instant = one.at + rate.nanos();
      if (instant > now && instant < soonest && fits(instant, amount)) {
        soonest = instant;
      }
    }
    return soonest - now;
  }

  private boolean fits(long instant, long amount) {
    BigInteger sum = open.add(BigInteger.valueOf(amount));
    for (Counted one : counted) {
      if (one.at > instant - rate.nanos()) {
        sum = sum.add(BigInteger.valueOf(one.amount));
      }
    }
    return sum.compareTo(BigInteger.valueOf(rate.permits())) <= 0;
  }

  @Override
  public void release(long since, long now, Cost cost) {
    if (ends) {
      open = open.add(BigInteger.valueOf(measure.of(cost)));
    } else {
      counted.add(new Counted(now, measure.of(cost)));
    }
  }

  @Override
  public void end(long startedAt, long now, Cost cost, Outcome end) {
    if (!ends) {
      return;
    }
    open = open.subtract(BigInteger.valueOf(measure.of(cost)));
    if (end == Outcome.ANSWERED) {
      counted.add(new Counted(now, measure.of(cost)));
    } else if (end == Outcome.LOST) {
      counted.add(new Counted(Math.max(now, startedAt + unanswered), measure.of(cost)));
    }
  }

  /**
   * Of starts there are too few in any schedule to share an instant. Of ends, beyond a thousand
   * permits, those may that come within a thousandth of the interval, or of how long what is lost
   * may be counted.
   */
  @Override
  public long longestWait(long since, long now, Cost cost) {
    long wait = wait(since, now, cost);
    boolean exact = !ends || rate.permits() <= TimestampRuns.EXACT;
    return exact || wait >= Meter.AT_EVENT || measure.of(cost) == 0
        ? wait
        : wait + Math.max(rate.nanos(), unanswered) / 1000 + 1;
  }
}
