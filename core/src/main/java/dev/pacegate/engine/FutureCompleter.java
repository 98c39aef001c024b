package dev.pacegate.engine;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The futures that are up for completion, and whether somebody is at it. Guarded by the gate.
 *
 * <p>One drainer at a time. It may never come, or be held up by a callback that blocks; those
 * behind it are then looked after by another.
 */
final class FutureCompleter {

  private static final long STALL_NANOS = 1_000_000;

  private static final int MOST_DOUBLINGS = 10;

  private final Engine admission;
  private final ArrayDeque<FutureWaiter> ready = new ArrayDeque<>();
  private boolean draining;
  private int stalls; // in a row: looks at the drainers that found no progress
  private @Nullable Alarm rescue;

  FutureCompleter(Engine admission) {
    this.admission = admission;
  }

  /** Puts a future up for completion. */
  void queue(FutureWaiter waiter) {
    if (!waiter.queued) {
      ready.add(waiter);
      waiter.queued = true;
    }
  }

  /** Calls a drainer if there is anything to do and none has been called. */
  void attend(Visit duties) {
    if (ready.isEmpty()) {
      return;
    }
    if (!draining) {
      draining = true;
      duties.drain();
    }
    watch(duties);
  }

  private void watch(Visit duties) {
    if (rescue == null) {
      long patience = STALL_NANOS << Math.min(stalls, MOST_DOUBLINGS);
      rescue = admission.alarm(Clock.later(duties.now, patience), admission::onStall);
      duties.start(rescue);
    }
  }

  void rescues(Alarm rung, Visit duties) {
    if (rung != rescue) {
      return;
    }
    rescue = null;
    if (!ready.isEmpty()) {
      if (++stalls > 1) { // nobody has come since the last look
        duties.drain();
      }
      watch(duties);
    }
  }

  /** Takes out the next future, on behalf of a drainer; null if there is none left. */
  @Nullable FutureWaiter poll() {
    stalls = 0;
    FutureWaiter next = ready.poll();
    if (next != null) {
      next.queued = false;
    }
    return next;
  }

  /** A drainer has found nothing left to do. */
  void rest(Visit duties) {
    draining = false;
    if (rescue != null) {
      duties.cancel(rescue);
      rescue = null;
    }
  }

  /** A drainer may have been lost to an error: another is called. */
  void mistrust() {
    draining = false;
  }
}
