package dev.pacegate.time;

/**
 * Runs tasks at instants of a clock: never early, each at most once.
 *
 * <p>Tasks must be short and must not block: they may share one thread with every other limiter of
 * the process. A task that throws is reported and harms nobody else.
 */
public interface Timer {

  /**
   * Runs {@code task} as soon as the clock has reached {@code instant}; an instant in the past
   * means as soon as possible. Any distance is legal, however long.
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
