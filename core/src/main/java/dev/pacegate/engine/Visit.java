package dev.pacegate.engine;

import java.util.ArrayList;
import java.util.List;
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

  /** What sleeps outside the gate, and looks again when it is woken. */
  interface Sleeper {
    void wake();
  }

  /** The instant of the visit. */
  final long now;

  private final List<Runnable> actions = new ArrayList<>(2);
  private @Nullable List<Sleeper> asleep;
  private @Nullable Runnable last;

  /** The waiter on whose behalf the visit is made, if any. */
  @Nullable Object asking;

  /** Whether a thread of the limiter's executor makes it, which may complete futures itself. */
  boolean onExecutor;

  Visit(long now) {
    this.now = now;
  }

  /**
   * Wakes {@code waiter}, unless this is its own visit: its answer tells. A thread may make other
   * visits before it parks, and must then be woken by these.
   */
  void wake(Sleeper waiter) {
    if (waiter == asking) {
      return;
    }
    if (asleep == null) {
      asleep = new ArrayList<>(4);
    }
    asleep.add(waiter);
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

  /** Does all that is to be done: the sleepers first. To be called outside the gate. */
  void leave(Performer performer) {
    if (asleep != null) {
      for (Sleeper sleeper : asleep) {
        sleeper.wake();
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
