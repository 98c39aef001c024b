package dev.pacegate.redis;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * By how much the wall clock of a process is ahead of the store's. A process that has just begun
 * has no earlier reply by which it might judge the store's clock; but it can compare this with what
 * others have told the store. Each client that was granted units has told it. In microseconds.
 */
final class WallOffset {

  static final long TOLERANCE = 5_000_000;

  private static final String MOVED_APART = // as epochs.lua says
      "the store's clock was set forward, or that of a process back";

  private WallOffset() {}

  /** Returns whether a reply that took so many nanoseconds tells the offset. */
  static boolean isToldBy(long took) {
    return took <= Store.LATE.toNanos();
  }

  /** Returns the offset at the instant of a reply that took so many nanoseconds. */
  static long of(Instant wall, Reply reply, long took) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, wall) - reply.clock() - took / 2000;
  }

  /**
   * Returns why the store's clock cannot be believed; null if it can. Against what others have told
   * it may be behind: that makes units free too late. It may be ahead if another was as far ahead.
   */
  static @Nullable String doubt(long offset, List<Long> others, long tolerance) {
    boolean isKnown = others.stream().anyMatch(each -> Math.abs(each - offset) <= tolerance);
    boolean isAhead = others.stream().anyMatch(each -> each > offset);
    return isAhead && !isKnown ? MOVED_APART : null;
  }
}
