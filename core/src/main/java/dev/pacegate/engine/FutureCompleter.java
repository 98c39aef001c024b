package dev.pacegate.engine;

import dev.pacegate.engine.visit.Alarm;
import dev.pacegate.engine.visit.Clock;
import dev.pacegate.engine.visit.Visit;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Sends threads to complete futures that can go or are refused. Guarded by the gate.
 *
 * <p>One thread completes all futures without an executor of their own: one of the limiter's
 * executor, or for some that only schedule what goes on, one that is in the limiter anyway. It may
 * never come, or be held up by a callback that blocks; then a second thread is sent.
 */
final class FutureCompleter {

  /** Sends threads to futures. Called outside the gate. */
  interface ThreadSender {

    /**
     * Makes a thread of the limiter's executor complete all futures that wait for it.
     *
     * @param here whether the calling thread is one
     */
    void completeAll(boolean here);

    /** Completes futures that {@linkplain FutureWaiter.Recipient#onlySchedules only schedule}. */
    void resumeSome();

    /** Makes a thread of the waiter's own executor complete it. */
    void complete(FutureWaiter waiter);
  }

  private static final long STALL_NANOS = 1_000_000;

  private static final int MOST_DOUBLINGS = 10;

  private final Clock clock;
  private final ThreadSender sender;
  private @Nullable ArrayDeque<FutureWaiter> ready; // once there has been any
  private boolean completing;
  private int stalls; // consecutive looks that found no progress
  private @Nullable Alarm rescue;

  FutureCompleter(Clock clock, ThreadSender sender) {
    this.clock = clock;
    this.sender = sender;
  }

  /** Sends a thread to a future that is called, or refused. */
  void summon(FutureWaiter waiter, Visit visit) {
    if (waiter.own != null) {
      visit.add(() -> sender.complete(waiter));
    } else if (!waiter.queued) {
      ready().add(waiter);
      waiter.queued = true;
    }
  }

  private ArrayDeque<FutureWaiter> ready() {
    if (ready == null) {
      ready = new ArrayDeque<>(1);
    }
    return ready;
  }

  private boolean isAnyReady() {
    return ready != null && !ready.isEmpty();
  }

  private boolean onlySchedulesNext() {
    FutureWaiter next = ready == null ? null : ready.peek();
    return next != null && next.recipient.onlySchedules();
  }

  /** Sends a thread if there is work and none has been sent. */
  void attend(Visit visit) {
    if (!isAnyReady()) {
      return;
    }
    if (!completing) {
      completing = true;
      if (!visit.onExecutor && !visit.hurries && onlySchedulesNext()) {
        visit.addLast(sender::resumeSome);
      } else {
        completeAll(visit);
      }
    }
    watch(visit);
  }

  private void completeAll(Visit visit) {
    visit.addLast(() -> sender.completeAll(visit.onExecutor));
  }

  private void watch(Visit visit) {
    if (rescue == null) {
      long patience = STALL_NANOS << Math.min(stalls, MOST_DOUBLINGS);
      rescue = clock.alarm(Clock.later(visit.now, patience), this::rescue);
      visit.start(rescue);
    }
  }

  private void rescue(Alarm rung, Visit visit) {
    if (rung != rescue) {
      return;
    }
    rescue = null;
    if (isAnyReady()) {
      if (++stalls > 1) { // no thread has come since the last look
        completeAll(visit);
      }
      watch(visit);
    }
  }

  /**
   * Removes the next future for the thread that completes it; null if there is none.
   *
   * @param any whether the thread may run what depends on it
   */
  @Nullable FutureWaiter poll(boolean any) {
    stalls = 0;
    if (!any && !onlySchedulesNext()) {
      return null;
    }
    FutureWaiter next = ready == null ? null : ready.poll();
    if (next != null) {
      next.queued = false;
    }
    return next;
  }

  /** The thread has found no more work for it; another one does what is left. */
  void rest(Visit visit) {
    if (isAnyReady()) {
      completeAll(visit);
      return;
    }
    completing = false;
    if (rescue != null) {
      visit.cancel(rescue);
      rescue = null;
    }
  }

  /** Sends another thread, as an error may have ended the first. */
  void mistrust() {
    completing = false;
  }
}
