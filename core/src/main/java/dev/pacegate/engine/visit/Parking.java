package dev.pacegate.engine.visit;

import static dev.pacegate.engine.visit.Clock.FOREVER;

import dev.pacegate.time.Time;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Parks threads until an instant, and spins at the end if configured. Thread-safe. */
public final class Parking {

  private final Time time;
  private final Clock clock;
  private final long spinNanos;

  /**
   * @param spinNanos how long to spin; 0 with a time other than the system's
   */
  public Parking(Time time, Clock clock, long spinNanos) {
    this.time = time;
    this.clock = clock;
    this.spinNanos = time == Time.system() ? spinNanos : 0;
  }

  long spinNanos() {
    return spinNanos;
  }

  /** Parks this thread until {@code instant} or until it is woken. */
  public void park(Object blocker, long instant) {
    if (instant == FOREVER) {
      LockSupport.park(blocker);
    } else if (spinNanos > 0 && !Threads.isVirtual(Thread.currentThread())) {
      long until = clock.reading(instant);
      LockSupport.parkNanos(blocker, until - spinNanos - time.nanoTime());
      spin(until, () -> until - time.nanoTime() > spinNanos); // it was woken long before
    } else {
      time.parkUntil(blocker, clock.reading(instant));
    }
  }

  /** Spins until {@code instant}; false if {@code stops} returns true before, or if interrupted. */
  boolean spinUntil(long instant, BooleanSupplier stops) {
    return !Threads.isVirtual(Thread.currentThread()) && spin(clock.reading(instant), stops);
  }

  private boolean spin(long reading, BooleanSupplier stops) {
    while (reading - time.nanoTime() > 0) {
      if (stops.getAsBoolean() || Thread.currentThread().isInterrupted()) {
        return false;
      }
      Thread.onSpinWait();
    }
    return true;
  }
}
