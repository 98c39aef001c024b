package dev.pacegate;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Meter;
import org.jspecify.annotations.Nullable;

/**
 * What requests draw from: the meter of one limit, and what those ask for who have been called to
 * draw from it. Guarded by the gate.
 */
final class Pool {

  private Limit limit;
  private Meter meter;
  private boolean tracks;
  private Cost called = Cost.none();

  /** What this pool gets in a change that is being prepared. */
  Change.@Nullable Next next;

  Pool(Limit limit, long now) {
    this.limit = limit;
    this.meter = limit.newMeter(now);
    this.tracks = meter.tracks();
  }

  Limit limit() {
    return limit;
  }

  Meter meter() {
    return meter;
  }

  /** Returns whether the meter must be told how permits end. */
  boolean tracks() {
    return tracks;
  }

  /** Returns the sum of what those ask for who have been called. */
  Cost called() {
    return called;
  }

  /**
   * Returns the wait of {@code cost} alone, or {@code behindCalled}: together with what has been
   * called.
   */
  long nanosUntil(boolean behindCalled, long since, long now, Cost cost) {
    if (!behindCalled || called.calls() == 0) {
      return meter.nanosUntil(since, now, cost);
    }
    // A sum that may go as one may still be too much for one after another: where the last one is
    // paid later, none goes behind it.
    return Math.max(
        meter.nanosUntil(since, now, called.plus(cost)), meter.atLeast(since, now, called, cost));
  }

  long atLeast(long since, long now, Cost ahead, Cost cost) {
    return meter.atLeast(since, now, ahead, cost);
  }

  void call(Cost cost) {
    called = called.plus(cost);
  }

  /** Subtracts; false if the sum has saturated and cannot be taken apart. */
  boolean uncall(Cost cost) {
    if (called.isSaturated()) {
      return false;
    }
    called = called.minus(cost);
    return true;
  }

  void uncallAll() {
    called = Cost.none();
  }

  /** Has what was prepared take over. */
  void install() {
    if (next != null) {
      limit = next.limit();
      meter = next.meter();
      tracks = next.tracks();
      next = null;
    }
  }
}
