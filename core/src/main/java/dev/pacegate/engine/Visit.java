package dev.pacegate.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One stay inside the gate: its instant, and what it leaves to be done outside (threads to wake,
 * alarms to set, listeners to tell). Collected inside, carried out after leaving.
 */
final class Visit {

  /** Does one thing, and lets no failure of it through. */
  interface Performer {
    void perform(Runnable action);
  }

  /** The instant of the visit. */
  final long now;

  private final List<Runnable> actions = new ArrayList<>(2);
  private @Nullable List<Thread> parked;
  private @Nullable Runnable last;

  /** The waiter on whose behalf the visit is made, if any. */
  @Nullable Object asking;

  /** Whether a thread of the limiter's executor makes it, which may complete futures itself. */
  boolean onExecutor;

  Visit(long now) {
    this.now = now;
  }

  /**
   * Wakes the thread of {@code waiter}, unless this is the waiter's own visit: its answer tells. A
   * thread may make other visits before it parks, and must then be woken by these.
   */
  void unpark(Object waiter, Thread thread) {
    if (waiter == asking) {
      return;
    }
    if (parked == null) {
      parked = new ArrayList<>(4);
    }
    parked.add(thread);
  }

  void start(Alarm alarm) {
    add(alarm::start);
  }

  void cancel(Alarm alarm) {
    add(alarm::cancel);
  }

  void add(Runnable action) {
    actions.add(action);
  }

  /** Has {@code action} done after all else: it may run user code, and take its time. */
  void addLast(Runnable action) {
    last = action;
  }

  /** Does all that is to be done: the threads first. To be called outside the gate. */
  void leave(Performer performer) {
    if (parked != null) {
      for (Thread thread : parked) {
        LockSupport.unpark(thread);
      }
    }
    for (Runnable action : actions) {
      performer.perform(action);
    }
    if (last != null) {
      performer.perform(last);
    }
  }
}
