package dev.pacegate.audit;

import dev.pacegate.limit.Promise;

/**
 * Whether at most so much was open at any instant, and the most that was.
 *
 * <p>What ends at an instant makes room for what starts at it. What ends at its own start was open
 * for that instant, as the last one that came; the order of those that start together is the log's.
 */
final class MostOpen implements PromiseCheck {

  private final Promise.Open promise;
  private final EndHeap ends = new EndHeap();
  private final Int128 open = new Int128();
  private final Maximum most = new Maximum();

  MostOpen(Promise.Open promise) {
    this.promise = promise;
  }

  @Override
  public void add(long start, long end, long amount) {
    if (amount == 0) {
      return;
    }
    while (!ends.isEmpty() && start - ends.first() >= 0) {
      open.subtract(ends.firstCost());
      ends.removeFirst();
    }
    ends.add(end, amount);
    open.add(amount);
    most.offer(open, open.saturated(), start, start);
  }

  @Override
  public Verdict verdict() {
    boolean kept = !most.value().exceeds(promise.max());
    long measured = most.value().saturated();
    var tightest = new Promise.Open(measured, promise.of(), promise.unansweredNanos());
    return new Verdict(promise, kept, measured, most.stretch(), "most open: " + measured, tightest);
  }
}
