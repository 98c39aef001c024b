package dev.pacegate.engine;

import java.util.concurrent.atomic.AtomicLong;

/** Lets one through a minute at most. Thread-safe. */
final class OnceAMinute {

  private static final long MINUTE = 60_000_000_000L;

  private final AtomicLong last = new AtomicLong(); // 0 before the first

  /** Returns whether one passes at {@code now}, in nanoseconds of any one clock. */
  boolean passes(long now) {
    long before = last.get();
    return (before == 0 || now - before >= MINUTE)
        && last.compareAndSet(before, now == 0 ? 1 : now);
  }
}
