package dev.pacegate.audit;

import dev.pacegate.limit.Promise;

/**
 * Whether at most so much started in any half-open interval of the length I, and the most that did.
 *
 * <p>The fullest interval may be moved until it begins with a release. So it is enough to look back
 * from each release: at those less than I before it, which is all that is remembered.
 */
final class MostInAny implements PromiseCheck {

  private final Promise.AtMost promise;
  private final Ring ring = new Ring();
  private final Int128 sum = new Int128(); // of the costs in the ring
  private final Maximum most = new Maximum();

  MostInAny(Promise.AtMost promise) {
    this.promise = promise;
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
  }

  private void forgetFirst() {
    sum.subtract(ring.cost(ring.first()));
    ring.removeFirst();
  }

  @Override
  public Verdict verdict() {
    return verdict(promise, most);
  }

  static Verdict verdict(Promise.AtMost promise, Maximum most) {
    boolean kept = !most.value().exceeds(promise.max());
    long measured = most.value().saturated();
    String found = "most: " + measured + most.stretch().within();
    var tightest =
        new Promise.AtMost(measured, promise.nanos(), promise.of(), promise.countsWhole());
    return new Verdict(promise, kept, measured, most.stretch(), found, tightest);
  }
}
