package dev.pacegate.engine.report;

/** Passes at most one event a minute. Thread-safe. */
public final class OnceAMinute {

  private static final long MINUTE = 60_000_000_000L;

  private long last; // 0 before the first

  /** Returns whether an event passes at {@code now}, in nanoseconds of any one clock. */
  public synchronized boolean passes(long now) {
    if (!isDue(now)) {
      return false;
    }
    last = now == 0 ? 1 : now;
    return true;
  }

  /** Returns whether one would pass; none does by this. */
  public synchronized boolean isDue(long now) {
    return last == 0 || now - last >= MINUTE;
  }
}
