package dev.pacegate.audit;

import dev.pacegate.limit.Promise;

/**
 * Whether at most so much started in any half-open interval of the length I, and the most that did.
 *
 * <p>The fullest interval may be moved until it begins with a release. So it is enough to look back
 * from each release: at those less than I before it, which is all that is remembered.
 */
final class MostInAny implements Question {

  private final Promise.AtMost promise;
  private final Ring ring = new Ring();
  private final Wide sum = new Wide(); // of the costs in the ring
  private final Highest most = new Highest();
  private final TooFull tooFull;

  MostInAny(Promise.AtMost promise) {
    this.promise = promise;
    this.tooFull = new TooFull(promise.max(), promise.nanos(), ring);
  }

  @Override
  public void add(long start, long end, long amount) {
    if (amount == 0) {
      return;
    }
    while (!ring.isEmpty() && start - ring.instant(ring.first()) >= promise.nanos()) {
      forgetFirst();
    }
    ring.add(start, amount);
    sum.add(amount);
    most.offer(sum, sum.saturated(), ring.instant(ring.first()), start);
    tooFull.afterAdd(start, amount);
  }

  private void forgetFirst() {
    tooFull.beforeRemoveFirst();
    sum.subtract(ring.cost(ring.first()));
    ring.removeFirst();
  }

  @Override
  public Verdict verdict() {
    boolean kept = !most.value().exceeds(promise.max());
    return new Verdict(promise, kept, most.value().saturated(), most.stretch(), tooFull.worst());
  }
}
