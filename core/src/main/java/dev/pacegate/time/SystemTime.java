package dev.pacegate.time;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.locks.LockSupport;

/** Real time: {@link System#nanoTime()}, timed parking, and one timer for the whole process. */
final class SystemTime implements Time {

  static final SystemTime INSTANCE = new SystemTime();

  private SystemTime() {}

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public Scheduled at(long instant, Runnable task) {
    return Shared.TIMER.at(instant, task);
  }

  @Override
  public void parkUntil(Object blocker, long instant) {
    LockSupport.parkNanos(requireNonNull(blocker), instant - System.nanoTime());
  }

  /** Created when first needed; its thread starts with the first task. */
  private static final class Shared {
    static final WheelTimer TIMER = new WheelTimer("pacegate-timer");
  }
}
