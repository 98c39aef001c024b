package dev.pacegate.audit;

import dev.pacegate.limit.Promise;
import java.util.ArrayList;
import java.util.List;

/**
 * The burst that what started took, and whether at most {@code max(B, largest cost) + (W + slack) /
 * T} started in any interval W, the largest cost being that of the interval itself.
 *
 * <p>The realised burst is the highest of {@code counted - W / T} over all intervals. Of those that
 * end at a release, the highest is that of the {@link BusyPeriod} it lies in: an earlier beginning
 * only adds more replenishment than was counted.
 *
 * <p>Costs above B allow more than B, but only where they are. So a busy period is looked at from
 * several beginnings: from its own, and from behind each cost above B that none as large has
 * followed. With each goes the bound of the intervals from there on. Later ones have a lower level
 * and a lower bound; one whose bound is raised to that of an earlier one is covered by it and
 * dropped. As long as no cost is above B there is one.
 */
final class Burst implements PromiseCheck {

  private static final class Period {
    final BusyPeriod busy;
    long bound; // of the intervals from its beginning: B or the largest cost since

    Period(BusyPeriod busy) {
      this.busy = busy;
    }
  }

  private final Promise.Refilled promise;
  private final List<Period> periods = new ArrayList<>(); // the oldest first
  private final Int128 beyond = new Int128();
  private final Maximum burst = new Maximum();
  private final Maximum mostBeyond = new Maximum(); // most beyond what its bound allows; may be < 0

  Burst(Promise.Refilled promise) {
    this.promise = promise;
  }

  @Override
  public void add(long start, long end, long amount) {
    if (amount == 0) {
      return;
    }
    drain(start);
    begin(start, Math.max(promise.burst(), amount));
    for (Period period : periods) {
      period.busy.add(amount);
      judge(period, start);
    }
  }

  private void drain(long now) {
    periods.forEach(period -> period.busy.drain(now));
    periods.removeIf(period -> period.busy.isEmpty());
  }

  /** Begins a period with {@code bound}, or continues the oldest whose bound that raises. */
  private void begin(long now, long bound) {
    Period newest = new Period(new BusyPeriod(promise.rate()));
    newest.busy.drain(now);
    while (!periods.isEmpty() && periods.get(periods.size() - 1).bound <= bound) {
      newest = periods.remove(periods.size() - 1);
    }
    newest.bound = bound;
    periods.add(newest);
  }

  private void judge(Period period, long now) {
    BusyPeriod busy = period.busy;
    burst.offer(busy.level(), busy.counted(), busy.from(), now);
    beyond.set(busy.level());
    beyond.subtractProduct(period.bound, promise.rate().nanos());
    mostBeyond.offer(beyond, busy.counted(), busy.from(), now);
  }

  @Override
  public Verdict verdict() {
    var allowed = new Int128();
    allowed.addProduct(promise.slackNanos(), promise.rate().permits());
    boolean kept = mostBeyond.value().compareTo(allowed) <= 0;
    long measured = burst.value().dividedUp(promise.rate().nanos());
    Stretch where = kept ? burst.stretch() : mostBeyond.stretch();
    return verdict(promise, kept, measured, where);
  }

  static Verdict verdict(Promise.Refilled promise, boolean kept, long measured, Stretch where) {
    String burst = where.burst(promise.rate()).toPlainString();
    String found = "largest burst: " + burst + ", by " + where.counted() + where.within();
    var tightest =
        new Promise.Refilled(measured, promise.rate(), 0, promise.of(), promise.countsWhole());
    return new Verdict(promise, kept, measured, where, found, tightest);
  }
}
