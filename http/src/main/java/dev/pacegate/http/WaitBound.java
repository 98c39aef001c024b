package dev.pacegate.http;

import java.net.http.HttpRequest;
import java.time.Duration;

/**
 * How long one call of the user may wait for its permits: for each as long, or until one instant
 * for all.
 *
 * @param span the longest wait for each permit, if there is no deadline
 * @param deadline the end of all waits, by {@code System.nanoTime}
 */
record WaitBound(Duration span, boolean hasDeadline, long deadline) {

  static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

  private static final Duration CENTURY = Duration.ofDays(36_500);

  /** What the client was built with. */
  record Rule(Duration maxWait, boolean fromTimeout) {

    /** Returns the bound of a call that begins now. */
    WaitBound begin(HttpRequest request) {
      Duration timeout = fromTimeout ? request.timeout().orElse(null) : null;
      if (timeout == null || timeout.compareTo(CENTURY) > 0) {
        return new WaitBound(maxWait, false, 0);
      }
      return new WaitBound(timeout, true, System.nanoTime() + timeout.toNanos());
    }
  }

  /** Returns {@code span}, or what is left until the deadline if that is less. */
  Duration within(Duration span) {
    return hasDeadline && left().compareTo(span) < 0 ? left() : span;
  }

  /** Returns the longest wait for a permit that is asked for now. */
  Duration left() {
    return hasDeadline ? Duration.ofNanos(Math.max(0, deadline - System.nanoTime())) : span;
  }
}
