package dev.pacegate.engine;

/** Instants of a limiter: nanoseconds since it was made, so none is negative. */
public final class Clock {

  /** An instant that does not come, and a wait that does not end. */
  public static final long FOREVER = Long.MAX_VALUE;

  private Clock() {}

  /** Returns the instant {@code span} after {@code instant}. */
  static long later(long instant, long span) {
    long sum = instant + span;
    return sum < 0 ? FOREVER : sum;
  }
}
