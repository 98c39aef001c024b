package dev.pacegate.engine;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * Stands in the list for a permit that has been open for long, without keeping it reachable: if the
 * program no longer refers to the permit, its garbage collector tells. Guarded by the gate.
 */
final class AgedPermit extends OpenEntry {

  /** Refers to the permit, and back from the queue of what was collected. */
  private static final class Tie extends WeakReference<OpenPermit> {

    final AgedPermit entry;

    Tie(OpenPermit permit, AgedPermit entry, ReferenceQueue<OpenPermit> collected) {
      super(permit, collected);
      this.entry = entry;
    }
  }

  private final Tie tie;
  boolean warned; // the listener has heard of it
  boolean ended;

  AgedPermit(OpenPermit permit, ReferenceQueue<OpenPermit> collected) {
    super(permit.lane, permit.drawnFrom, permit.cost, permit.startedAt);
    this.tie = new Tie(permit, this, collected);
  }

  /** Returns the permit unless it has been collected. */
  @Nullable OpenPermit permit() {
    return tie.get();
  }

  /** Notes that it has ended: it need not be told of any more. */
  void end() {
    ended = true;
    tie.clear();
  }

  /** Returns one of {@code collected} that has not ended, if there is any. */
  static @Nullable AgedPermit next(ReferenceQueue<OpenPermit> collected) {
    for (var tie = (Tie) collected.poll(); tie != null; tie = (Tie) collected.poll()) {
      if (!tie.entry.ended) {
        return tie.entry;
      }
    }
    return null;
  }
}
