package dev.pacegate.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One stay inside the gate: its instant, and what it leaves to be done outside (threads to wake,
 * alarms to set, listeners to tell). Collected inside, carried out after leaving.
 */
final class Visit {

  /** The instant of the visit. */
  final long now;

  private final List<Runnable> actions = new ArrayList<>(2);
  private @Nullable List<Thread> parked;
  private @Nullable Runnable last;

  /** Whether a thread of the limiter's executor makes it, which may complete futures itself. */
  boolean onExecutor;

  Visit(long now) {
    this.now = now;
  }

  /** Wakes a thread, unless it is the one that makes this visit. */
  void unpark(Thread thread) {
    if (thread == Thread.currentThread()) {
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

  /** Hands out what is to be done: the threads first. To be called outside the gate. */
  void leave(Consumer<Thread> wake, Consumer<Runnable> perform) {
    if (parked != null) {
      parked.forEach(wake);
    }
    actions.forEach(perform);
    if (last != null) {
      perform.accept(last);
    }
  }
}
