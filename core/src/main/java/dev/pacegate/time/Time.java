package dev.pacegate.time;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.locks.LockSupport;

/**
 * The clock, the timer and the waiting that a limiter needs.
 *
 * <p>{@link #system()} is real time; {@link ManualTime} is time that a test moves. Instants are
 * nanoseconds of the {@link NanoClock}. A limiter reads {@link #nanoTime} and {@link #instant}
 * inside its gate, so they must not block. Thread-safe: limiters may share it.
 */
public interface Time extends NanoClock, Timer, InstantSource {

  /** Returns the time of this machine, read from {@link System#nanoTime()}. */
  static Time system() {
    return SystemTime.INSTANCE;
  }

  /** Returns the time of day, which may be set, for limits that follow the calendar. */
  @Override
  default Instant instant() {
    return Instant.now();
  }

  /**
   * Disables the calling thread until the clock reaches {@code instant}, or another thread unparks
   * or interrupts it. It may also return for no reason, so the caller reads the clock again.
   *
   * @param blocker what the thread waits for, shown in thread dumps
   */
  default void parkUntil(Object blocker, long instant) {
    requireNonNull(blocker);
    Thread waiting = Thread.currentThread();
    Scheduled wakeUp = at(instant, () -> LockSupport.unpark(waiting));
    try {
      LockSupport.park(blocker);
    } finally {
      wakeUp.cancel();
    }
  }
}
