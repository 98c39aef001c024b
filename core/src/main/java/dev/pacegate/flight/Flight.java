package dev.pacegate.flight;

import org.jspecify.annotations.Nullable;

/**
 * Records events with JDK Flight Recorder, if the program has that and a recording asks for them.
 *
 * <p>Call it outside the gate. Thread-safe.
 */
public final class Flight {

  private static volatile boolean absent;

  private Flight() {}

  /** A wait that a recording may want to know of. */
  public interface Wait {

    /** Ends the wait, which is recorded if it was long enough. */
    void end(String limiter, long cost, boolean granted);
  }

  /** Begins a wait; null if no recording asks for it. */
  public static @Nullable Wait beginWait() {
    if (absent) {
      return null;
    }
    try {
      return WaitEvent.begun();
    } catch (LinkageError none) {
      absent = true;
      return null;
    }
  }

  /**
   * Requests are paused.
   *
   * @param nanos for how long; {@link Long#MAX_VALUE} if until resumed
   * @param reason who or what paused them
   */
  public static void paused(String limiter, long nanos, String reason) {
    record(() -> PauseEvent.record(limiter, nanos, reason));
  }

  /**
   * A permit has ended as lost.
   *
   * @param openNanos for how long it was open
   * @param abandoned whether the program has not ended it
   */
  public static void lost(String limiter, long cost, long openNanos, boolean abandoned) {
    record(() -> LostEvent.record(limiter, cost, openNanos, abandoned));
  }

  /**
   * A limit has changed.
   *
   * @param what which one
   */
  public static void changed(String limiter, String what, Object from, Object to) {
    record(() -> ChangeEvent.record(limiter, what, from, to));
  }

  private static void record(Runnable event) {
    if (absent) {
      return;
    }
    try {
      event.run();
    } catch (LinkageError none) {
      absent = true;
    }
  }
}
