package dev.pacegate.audit;

import org.jspecify.annotations.Nullable;

/**
 * Finds where the intervals begin that hold more than {@code max}, and has the fixed windows among
 * them counted by {@link Phases}.
 *
 * <p>An interval whose last release is the one at x holds too much exactly if it begins after x -
 * I, and no later than the last release from which on the costs, up to x, sum up to more than
 * {@code max}. That release only ever moves on; {@code from} follows it.
 */
final class TooFull {

  private final long max;
  private final long interval;
  private final Ring ring;
  private final Wide sum = new Wide(); // of the costs of number `from` and all after it
  private long from;
  private @Nullable Phases phases;

  TooFull(long max, long interval, Ring ring) {
    this.max = max;
    this.interval = interval;
    this.ring = ring;
  }

  /** To be told before the ring forgets its oldest release. */
  void beforeRemoveFirst() {
    if (from == ring.first()) {
      skip();
    }
  }

  /** To be told after the ring was given a release. */
  void afterAdd(long instant, long cost) {
    sum.add(cost);
    if (sum.exceeds(max)) {
      skipWhileTooMuch();
      count(instant - interval + 1, ring.instant(from));
    }
  }

  /** Skips all that leave more than {@code max} behind. */
  private void skipWhileTooMuch() {
    do {
      skip();
    } while (sum.exceeds(max));
    from--;
    sum.add(ring.cost(from));
  }

  private void skip() {
    sum.subtract(ring.cost(from));
    from++;
  }

  private void count(long first, long last) {
    if (phases == null) {
      phases = new Phases(interval, last);
    }
    phases.add(first, last);
  }

  FixedWindows worst() {
    return phases == null ? FixedWindows.NONE : phases.worst();
  }
}
