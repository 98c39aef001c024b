package dev.pacegate.engine.report;

/** Passes at most one event a minute. Thread-safe. */
public final class OnceAMinute {

  private static final long MINUTE = 60_000_000_000L;

  private long last; // 0 before the first

  /** Returns whether an event passes at {@code now}, in nanoseconds of any one clock. */
  public synchronized boolean passes(long now) {
    boolean passes = last == 0 || now - last >= MINUTE;
    if (passes) {
      last = now == 0 ? 1 : now;
    }
    return passes;
  }
}
