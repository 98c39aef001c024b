package dev.pacegate.config;

import dev.pacegate.time.Time;
import dev.pacegate.time.Timer.Scheduled;
import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Repeats a step, each time a period after it last ended, until closed. The timer only triggers it;
 * a thread of the executor runs it, so it may block. If a step fails, the failure is logged and the
 * step is tried again.
 */
public final class PeriodicTask implements AutoCloseable {

  private final Time time;
  private final Executor executor;
  private final long periodNanos;
  private final Runnable step;

  // Guarded by this.
  private @Nullable Scheduled next;
  private volatile boolean closed; // changed under the lock

  private PeriodicTask(Time time, Executor executor, long periodNanos, Runnable step) {
    this.time = time;
    this.executor = executor;
    this.periodNanos = periodNanos;
    this.step = step;
  }

  public static PeriodicTask start(Time time, Executor executor, long periodNanos, Runnable step) {
    var task = new PeriodicTask(time, executor, periodNanos, step);
    task.arm();
    return task;
  }

  private synchronized void arm() {
    if (!closed) {
      next = time.at(time.nanoTime() + periodNanos, this::ask);
    }
  }

  private void ask() {
    try {
      executor.execute(this::run);
    } catch (Throwable refused) {
      failed(refused);
      arm();
    }
  }

  private void run() {
    try {
      if (!closed) {
        step.run();
      }
    } catch (Throwable failure) {
      failed(failure);
    } finally {
      arm();
    }
  }

  /** Starts no further step; does not wait for one that is running. */
  @Override
  public synchronized void close() {
    closed = true;
    if (next != null) {
      next.cancel();
    }
  }

  private static void failed(Throwable failure) {
    ReloadReporter.log(Level.ERROR, "a periodic step failed; it will be tried again", failure);
  }
}
