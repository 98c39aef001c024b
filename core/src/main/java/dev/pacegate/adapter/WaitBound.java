package dev.pacegate.adapter;

import dev.pacegate.time.NanoClock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long one call may wait for its permits: for each as long, or until one instant for all.
 * Confined to one request of the call after the other.
 */
final class WaitBound {

  static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

  static final Duration CENTURY = Duration.ofDays(36_500);

  private final Duration span;
  private final boolean hasDeadline;
  private @Nullable NanoClock clock; // by which the deadline is; null until there is one
  private long deadline;

  private WaitBound(Duration span, boolean hasDeadline) {
    this.span = span;
    this.hasDeadline = hasDeadline;
  }

  static WaitBound each(Duration span) {
    return new WaitBound(span, false);
  }

  /** Makes one for at most a {@link #CENTURY}. */
  static WaitBound all(Duration span) {
    return new WaitBound(span, true);
  }

  /** The first request of the call gets its limiter. */
  void begin(NanoClock clock) {
    if (hasDeadline && this.clock == null) {
      this.clock = clock;
      this.deadline = clock.nanoTime() + span.toNanos();
    }
  }

  Duration span() {
    return span;
  }

  /** Returns {@code span}, or what is left until the deadline if that is less. */
  Duration within(Duration span) {
    return clock != null && left().compareTo(span) < 0 ? left() : span;
  }

  /** Returns the longest wait for a permit that is asked for now. */
  Duration left() {
    return clock == null ? span : Duration.ofNanos(Math.max(0, deadline - clock.nanoTime()));
  }
}
