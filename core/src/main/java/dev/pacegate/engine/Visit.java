package dev.pacegate.engine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One stay inside the gate: its instant, and its actions for outside (threads to wake, alarms to
 * set, listeners to call). Actions are collected inside and run after leaving.
 */
final class Visit {

  /** Runs one action and catches its failure. */
  interface Performer {
    void perform(Runnable action);
  }

  /** A waiter that sleeps outside the gate and looks again when woken. */
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
   * Wakes {@code waiter}, unless this is its own visit, whose result it gets anyway. A thread may
   * make other visits before it parks, and those must wake it.
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

  /** Adds an action to run after all others: it may run user code and take long. */
  void addLast(Runnable action) {
    last = action;
  }

  /** Runs all actions, sleepers first. Call it outside the gate. */
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
