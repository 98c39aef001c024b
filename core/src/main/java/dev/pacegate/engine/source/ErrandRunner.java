package dev.pacegate.engine.source;

import dev.pacegate.engine.report.Reporter;
import dev.pacegate.engine.visit.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs errands outside the gate, on the thread that made the visit. An errand that comes up while
 * the thread runs another, as that one told news, waits for it to return: so no errand recurses. If
 * many come up in a row, the rest waits for a moment: so no errand keeps a thread busy.
 * Thread-safe.
 */
final class ErrandRunner {

  private static final int IN_A_ROW = 8;

  private static final long PAUSE_NANOS = 1_000_000;

  /** The errands, of any limiter, that are queued behind the one this thread is running. */
  private static final ThreadLocal<@Nullable Deque<QueuedErrand>> WAITING = new ThreadLocal<>();

  private record QueuedErrand(ErrandRunner runner, Runnable errand) {}

  private final Clock clock;
  private final Reporter reporter;

  ErrandRunner(Clock clock, Reporter reporter) {
    this.clock = clock;
    this.reporter = reporter;
  }

  void run(Runnable errand) {
    var task = new QueuedErrand(this, errand);
    Deque<QueuedErrand> running = WAITING.get();
    if (running != null) {
      running.add(task);
    } else {
      runAll(task);
    }
  }

  private static void runAll(QueuedErrand first) {
    var waiting = new ArrayDeque<QueuedErrand>();
    waiting.add(first);
    WAITING.set(waiting);
    try {
      for (int done = 0; done < IN_A_ROW && !waiting.isEmpty(); done++) {
        QueuedErrand next = waiting.remove();
        next.runner.perform(next.errand);
      }
    } finally {
      WAITING.remove();
      if (!waiting.isEmpty()) {
        waiting.peek().runner.runLater(List.copyOf(waiting));
      }
    }
  }

  private void runLater(List<QueuedErrand> tasks) {
    clock
        .outside(
            Clock.later(clock.now(), PAUSE_NANOS),
            rung -> tasks.forEach(task -> task.runner.run(task.errand)))
        .start();
  }

  private void perform(Runnable errand) {
    try {
      errand.run();
    } catch (Throwable failure) {
      reporter.failed("an errand of its source of permits", failure);
    }
  }
}
