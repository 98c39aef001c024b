package dev.pacegate.pekko;

import dev.pacegate.time.Durations;
import java.time.Duration;

/** Checks durations at the public entry points and converts them to nanoseconds. */
final class SpanNanos {

  private static final Duration LONGEST = Duration.ofDays(Durations.MAX_DAYS);

  private SpanNanos() {}

  /** Returns a duration that must be at least a nanosecond and at most a hundred years. */
  static long positive(String what, Duration span) {
    if (span.isNegative() || span.isZero() || span.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          what + " must be from 1ns to " + Durations.MAX_DAYS + "d: " + Durations.decimal(span));
    }
    return span.toNanos();
  }

  /**
   * Returns any duration: a negative one counts as zero, more than a hundred years as a hundred.
   */
  static long lenient(Duration span) {
    if (span.isNegative()) {
      return 0;
    }
    return (span.compareTo(LONGEST) > 0 ? LONGEST : span).toNanos();
  }
}
