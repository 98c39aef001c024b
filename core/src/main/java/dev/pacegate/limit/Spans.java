package dev.pacegate.limit;

import dev.pacegate.time.Durations;
import java.time.Duration;

/** Checks the range of durations at the public entry points. */
final class Spans {

  static final long MAX = Durations.MAX_DAYS * 86_400_000_000_000L;

  private Spans() {}

  static long nanos(String what, Duration span) {
    try {
      return checked(what, span.toNanos());
    } catch (ArithmeticException tooLong) {
      throw outOfRange(what, Durations.decimal(span));
    }
  }

  static long checked(String what, long nanos) {
    if (nanos < 0 || nanos > MAX) {
      throw outOfRange(what, Durations.decimal(nanos));
    }
    return nanos;
  }

  static long positive(String what, long nanos) {
    if (nanos < 1) {
      throw new IllegalArgumentException(
          what + " must be at least 1ns: " + Durations.decimal(nanos));
    }
    return checked(what, nanos);
  }

  private static IllegalArgumentException outOfRange(String what, String value) {
    return new IllegalArgumentException(
        what + " must be from 0s to " + Durations.MAX_DAYS + "d: " + value);
  }
}
