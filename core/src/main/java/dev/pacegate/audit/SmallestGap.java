package dev.pacegate.audit;

import dev.pacegate.limit.Promise;
import dev.pacegate.time.Durations;

/**
 * Checks that starts were at least a gap apart, and measures the smallest gap between two. If the
 * promise is about whole requests, the gap is from the end of one to the start of another after it,
 * negative if they overlapped.
 *
 * <p>It is enough to compare each request with the next. That holds for ends too: a start that is
 * closer to an earlier end than to the last one comes after a start that was closer still.
 */
final class SmallestGap implements PromiseCheck {

  private final Promise.Gap promise;
  private boolean started;
  private long last; // the last start or, for whole requests, its end
  private long smallest = Long.MAX_VALUE;
  private Stretch where = Stretch.NONE;

  SmallestGap(Promise.Gap promise) {
    this.promise = promise;
  }

  /** Several calls in one request count as that many starting together. */
  @Override
  public void add(long start, long end, long amount) {
    for (long call = 0; call < Math.min(amount, 2); call++) {
      addCall(start, promise.countsWhole() ? end : start);
    }
  }

  private void addCall(long start, long until) {
    if (started && start - last < smallest) {
      smallest = start - last;
      where = new Stretch(2, last, start);
    }
    last = until;
    started = true;
  }

  @Override
  public Verdict verdict() {
    boolean kept = smallest >= promise.nanos();
    String found = "smallest gap: " + Durations.decimal(smallest);
    var tightest = new Promise.Gap(smallest, promise.countsWhole());
    return new Verdict(promise, kept, smallest, where, found, tightest);
  }
}
