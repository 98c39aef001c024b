package dev.pacegate.audit;

import dev.pacegate.limit.Promise;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Checks that at most {@code B + (W + slack) / T} could be counted in any interval W, by a peer
 * that counts each request at any instant between its start and its end; and measures the largest
 * burst such a peer may have counted. If only starts count, each request ends at its start, and a
 * cost larger than B is allowed in the intervals that hold it: {@code max(B, largest cost) + (W +
 * slack) / T}.
 *
 * <p>The burst is the maximum of {@code counted - W / T} over all intervals. In [a, b] every
 * request can be counted that started by b and did not end before a. The worst b is a start, and
 * the worst a is b itself or an end before it. So at each start the burst is what is open, plus the
 * level of the {@link BusyPeriod} of what has ended, each request counted at its end: an earlier
 * beginning only adds more refill than was counted.
 *
 * <p>Costs above B allow more than B, but only in intervals that hold them. So a busy period is
 * evaluated from several beginnings: its own, and one behind each cost above B that no cost as
 * large has followed. Each has the bound of the intervals from there on: B or the largest cost
 * since. Later ones have a lower level and a lower bound; one whose bound is raised to that of an
 * earlier one is covered by it and dropped. As long as no cost is above B there is one.
 */
final class Burst implements PromiseCheck {

  private final Promise.Refilled promise;
  private final BigInteger nanos; // of the rate
  private final PriorityQueue<End> ends = new PriorityQueue<>();
  private final List<BusyPeriod> periods = new ArrayList<>(); // of what has ended; oldest first
  private BigInteger open = BigInteger.ZERO;
  private Maximum burst = Maximum.NONE;
  private Maximum mostBeyond = Maximum.NONE; // most beyond what its bound allows; may be < 0

  Burst(Promise.Refilled promise) {
    this.promise = promise;
    this.nanos = BigInteger.valueOf(promise.rate().nanos());
  }

  @Override
  public void add(long start, long end, long amount) {
    if (amount == 0) {
      return;
    }
    while (!ends.isEmpty() && start - ends.element().instant() >= 0) {
      end(ends.remove());
    }
    boolean whole = promise.countsWhole();
    begin(start, whole ? promise.burst() : Math.max(promise.burst(), amount));
    ends.add(new End(whole ? end : start, amount));
    open = open.add(BigInteger.valueOf(amount));
    periods.forEach(period -> judge(period, start));
  }

  private void end(End end) {
    open = open.subtract(BigInteger.valueOf(end.cost()));
    for (BusyPeriod period : periods) {
      period.drain(end.instant());
      period.add(end.cost());
    }
  }

  /** Begins a period with {@code bound}, or continues the oldest whose bound that raises. */
  private void begin(long now, long bound) {
    periods.forEach(period -> period.drain(now));
    periods.removeIf(BusyPeriod::isEmpty);
    var newest = new BusyPeriod(promise.rate(), now);
    while (!periods.isEmpty() && periods.get(periods.size() - 1).bound <= bound) {
      newest = periods.remove(periods.size() - 1);
    }
    newest.bound = bound;
    periods.add(newest);
  }

  private void judge(BusyPeriod period, long now) {
    BigInteger level = period.level().add(open.multiply(nanos));
    BigInteger counted = period.counted().add(open);
    burst = burst.or(level, counted, period.from(), now);
    BigInteger beyond = level.subtract(BigInteger.valueOf(period.bound).multiply(nanos));
    mostBeyond = mostBeyond.or(beyond, counted, period.from(), now);
  }

  @Override
  public Verdict verdict() {
    BigInteger slack = BusyPeriod.product(promise.slackNanos(), promise.rate().permits());
    boolean kept = mostBeyond.value().compareTo(slack) <= 0;
    Stretch where = kept ? burst.stretch() : mostBeyond.stretch();
    String least = where.burst(promise.rate()).toPlainString();
    String found = "largest burst: " + least + ", by " + where.counted() + where.within();
    long measured =
        Maximum.saturated(burst.value().add(nanos).subtract(BigInteger.ONE).divide(nanos));
    var tightest =
        new Promise.Refilled(measured, promise.rate(), 0, promise.of(), promise.countsWhole());
    return new Verdict(promise, kept, measured, where, found, tightest);
  }
}
