package dev.pacegate.time;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Real time: {@link System#nanoTime()}, timed parking, and one shared daemon thread for tasks. */
final class SystemTime implements Time {

  static final SystemTime INSTANCE = new SystemTime();

  private SystemTime() {}

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public Scheduled at(long instant, Runnable task) {
    var future =
        Shared.EXECUTOR.schedule(
            () -> Tasks.runSafely(task), instant - System.nanoTime(), TimeUnit.NANOSECONDS);
    return () -> future.cancel(false);
  }

  @Override
  public void parkUntil(Object blocker, long instant) {
    LockSupport.parkNanos(blocker, instant - System.nanoTime());
  }

  /** Started by the first task that anybody schedules. */
  private static final class Shared {
    static final ScheduledThreadPoolExecutor EXECUTOR = create();

    private static ScheduledThreadPoolExecutor create() {
      var executor = new ScheduledThreadPoolExecutor(1, Shared::daemon);
      executor.setRemoveOnCancelPolicy(true);
      return executor;
    }

    private static Thread daemon(Runnable work) {
      var thread = new Thread(null, work, "pacegate-timer", 0, false);
      thread.setDaemon(true);
      return thread;
    }
  }
}
