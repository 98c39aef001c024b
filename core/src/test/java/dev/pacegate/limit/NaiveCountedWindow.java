package dev.pacegate.limit;

import dev.pacegate.limit.spi.Meter;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/** A window of requests that are over at their ends, or at a bound after their starts. */
final class NaiveCountedWindow implements Naive {

  private record Request(long start, long over, long atLatest, BigInteger amount, boolean open) {}

  private final Rate rate;
  private final Measure measure;
  private final long bound;
  private final List<Request> requests = new ArrayList<>();
  private boolean exceeded; // more was released than the limit allows

  NaiveCountedWindow(Rate rate, Measure measure, long bound) {
    this.rate = rate;
    this.measure = measure;
    this.bound = bound;
  }

  @Override
  public long wait(long since, long now, Cost cost) {
    return wait(now, cost, false);
  }

  private long wait(long now, Cost cost, boolean atLatest) {
    long amount = measure.of(cost);
    if (amount == 0) {
      return 0;
    }
    if (amount > rate.permits()) {
      return Meter.NEVER;
    }
    if (fits(now, amount, atLatest)) {
      return 0;
    }
    long soonest = Long.MAX_VALUE;
    for (Request request : requests) {
      long instant = over(request, atLatest) + rate.nanos();
      if (instant > now && instant < soonest && fits(instant, amount, atLatest)) {
        soonest = instant;
      }
    }
    return soonest - now;
  }

  private static long over(Request request, boolean atLatest) {
    return atLatest ? request.atLatest : request.over;
  }

  private boolean fits(long instant, long amount, boolean atLatest) {
    BigInteger sum = BigInteger.valueOf(amount);
    for (Request request : requests) {
      if (over(request, atLatest) > instant - rate.nanos()) {
        sum = sum.add(request.amount);
      }
    }
    return sum.compareTo(BigInteger.valueOf(rate.permits())) <= 0;
  }

  @Override
  public void release(long since, long now, Cost cost) {
    exceeded |= wait(now, cost, false) > 0;
    var amount = BigInteger.valueOf(measure.of(cost));
    requests.add(new Request(now, now + bound, now + bound, amount, true));
  }

  @Override
  public void end(long startedAt, long now, Cost cost, Outcome end) {
    var amount = BigInteger.valueOf(measure.of(cost));
    for (int i = 0; i < requests.size(); i++) {
      Request request = requests.get(i);
      if (request.open && request.start == startedAt && request.amount.equals(amount)) {
        long over =
            switch (end) {
              case ANSWERED -> Math.min(now, request.atLatest);
              case LOST -> request.atLatest;
              case NOT_SENT -> Long.MIN_VALUE / 2;
            };
        requests.set(i, new Request(startedAt, over, request.atLatest, amount, false));
        return;
      }
    }
  }

  /** It is over at its bound after the sending, even if it was over before. */
  @Override
  public void sent(long startedAt, long now, Cost cost) {
    var amount = BigInteger.valueOf(measure.of(cost));
    for (int i = 0; i < requests.size(); i++) {
      Request request = requests.get(i);
      if (request.open && request.start == startedAt && request.amount.equals(amount)) {
        requests.set(i, new Request(now, now + bound, now + bound, amount, true));
        exceeded |= !fits(now, 0, false);
        return;
      }
    }
  }

  /**
   * Beyond a thousand permits, those may share an instant that come within a thousandth. A meter
   * that was told of more than its limit allows may keep them until their bounds.
   */
  @Override
  public long longestWait(long since, long now, Cost cost) {
    long wait = wait(now, cost, exceeded);
    boolean exact = rate.permits() <= TimestampRuns.EXACT;
    return exact || wait >= Meter.AT_EVENT || measure.of(cost) == 0
        ? wait
        : wait + Math.max(rate.nanos(), bound) / 1000 + 1;
  }
}
