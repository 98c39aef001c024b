package dev.pacegate.audit;

import dev.pacegate.limit.Promise;

/**
 * Whether at most so much was open at some moment of any half-open interval of the length I, and
 * the most that was.
 *
 * <p>In [t, t + I) counts what started before t + I and did not end before t. Let s be the last
 * start among what counts: the rest started no later and ended after s - I, so looking back from
 * each start sees it all; and the interval from the earliest of their ends, or from s if that is
 * earlier, holds it all. What ended I before the last start counts no more, and is forgotten.
 *
 * <p>Without ends, that is with each end at its start, it is the same question as {@link
 * MostInAny}.
 */
final class MostOpenInAny implements PromiseCheck {

  private final Promise.AtMost promise;
  private final EndHeap ends = new EndHeap();
  private final Int128 sum = new Int128(); // of the costs whose ends are remembered
  private final Maximum most = new Maximum();

  MostOpenInAny(Promise.AtMost promise) {
    this.promise = promise;
  }

  @Override
  public void add(long start, long end, long amount) {
    if (amount == 0) {
      return;
    }
    while (!ends.isEmpty() && start - ends.first() >= promise.nanos()) {
      sum.subtract(ends.firstCost());
      ends.removeFirst();
    }
    ends.add(end, amount);
    sum.add(amount);
    long from = ends.first() - start < 0 ? ends.first() : start;
    most.offer(sum, sum.saturated(), from, start);
  }

  @Override
  public Verdict verdict() {
    return MostInAny.verdict(promise, most);
  }
}
