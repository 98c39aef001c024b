package dev.pacegate.reactive;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A length of time, measured by each subscription for itself: an immutable value.
 *
 * @param span the length; at least a nanosecond
 * @param eager whether the first element, or the first after idleness, goes at once; default: true
 * @param time the clock and the timer; default: {@link Time#system()}
 * @param executor runs what goes on after a wait; default: null, which means threads of the library
 */
public record Interval(Duration span, boolean eager, Time time, @Nullable Executor executor) {

  /** Checks the range. */
  public Interval {
    requireNonNull(time);
    requireNonNull(Limits.spacing(span)); // throws for a span out of range
  }

  /** Returns an interval of that length with default options. */
  public static Interval of(Duration span) {
    return new Interval(span, true, Time.system(), null);
  }

  /** Returns this interval, eager or not. */
  public Interval eager(boolean eager) {
    return new Interval(span, eager, time, executor);
  }

  /** Returns this interval on another clock, for tests that do not sleep. */
  public Interval on(Time time, Executor executor) {
    return new Interval(span, eager, time, requireNonNull(executor));
  }

  /**
   * Returns limiters for subscriptions that space releases by this interval, as they really happen.
   */
  LimiterSource spacing() {
    return LimiterSource.owning(() -> limiter(Limits.spacing(span)));
  }

  Gathering.Idle idle() {
    return eager ? Gathering.Idle.READY : Gathering.Idle.SPENT;
  }

  Limiter limiter(Limit limit) {
    Limiter.Builder builder = Limiter.builder(limit).late(Duration.ZERO).time(time);
    return executor == null ? builder.build() : builder.executor(executor).build();
  }
}
