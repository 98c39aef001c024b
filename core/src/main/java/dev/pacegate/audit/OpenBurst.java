package dev.pacegate.audit;

import dev.pacegate.limit.Promise;

/**
 * The burst that a peer may have seen that counts each request at any instant between its start and
 * its end, and whether at most {@code B + (W + slack) / T} could be counted in any interval W.
 *
 * <p>In [a, b] all can be counted that started by b and did not end before a. The worst b is a
 * start, and the worst a is b itself or an end before it. So at each start the burst is what is
 * open, and the level of the {@link BusyPeriod} of what has ended, each counted at its end.
 *
 * <p>Without ends, that is with each end at its start, it is the realised burst of {@link Burst}.
 */
final class OpenBurst implements PromiseCheck {

  private final Promise.Refilled promise;
  private final EndHeap ends = new EndHeap();
  private final Int128 open = new Int128();
  private final BusyPeriod ended;
  private final Int128 level = new Int128();
  private final Maximum burst = new Maximum();

  OpenBurst(Promise.Refilled promise) {
    this.promise = promise;
    this.ended = new BusyPeriod(promise.rate());
  }

  @Override
  public void add(long start, long end, long amount) {
    if (amount == 0) {
      return;
    }
    while (!ends.isEmpty() && start - ends.first() >= 0) {
      endFirst();
    }
    ended.drain(start);
    ends.add(end, amount);
    open.add(amount);
    level.set(ended.level());
    level.addProduct(open.saturated(), promise.rate().nanos());
    burst.offer(level, BusyPeriod.sum(ended.counted(), open.saturated()), ended.from(), start);
  }

  private void endFirst() {
    ended.drain(ends.first());
    ended.add(ends.firstCost());
    open.subtract(ends.firstCost());
    ends.removeFirst();
  }

  @Override
  public Verdict verdict() {
    var allowed = new Int128();
    allowed.addProduct(promise.burst(), promise.rate().nanos());
    allowed.addProduct(promise.slackNanos(), promise.rate().permits());
    boolean kept = burst.value().compareTo(allowed) <= 0;
    long measured = burst.value().dividedUp(promise.rate().nanos());
    return Burst.verdict(promise, kept, measured, burst.stretch());
  }
}
