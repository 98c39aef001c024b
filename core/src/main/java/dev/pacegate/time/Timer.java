package dev.pacegate.time;

/**
 * Runs tasks at instants of a clock: never early, each at most once.
 *
 * <p>Tasks must be short and must not block, as they may share one thread with every other limiter
 * of the process. If a task throws, the failure is logged and other tasks run as planned.
 * Thread-safe.
 */
public interface Timer {

  /**
   * Runs {@code task} as soon as the clock has reached {@code instant}; at once if that is in the
   * past. The instant may be any distance away.
   */
  Scheduled at(long instant, Runnable task);

  /** A task that has been handed to a {@link Timer}. */
  @FunctionalInterface
  interface Scheduled {

    /**
     * Withdraws the task, which then never runs; returns false if it has begun, or had been
     * withdrawn before.
     */
    boolean cancel();
  }
}
