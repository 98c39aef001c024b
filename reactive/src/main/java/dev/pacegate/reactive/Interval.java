package dev.pacegate.reactive;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * A length of time of which each subscription keeps count for itself.
 *
 * @param span how long; at least a nanosecond
 * @param eager whether what comes first, or first after idleness, goes at once; true unless stated
 * @param time the clock and the timer; {@link Time#system()} unless stated
 * @param executor where what has waited goes on; {@link CompletableFuture}'s own default unless
 *     stated
 */
public record Interval(Duration span, boolean eager, Time time, Executor executor) {

  /** Checks the range. */
  public Interval {
    requireNonNull(time);
    requireNonNull(executor);
    requireNonNull(Limits.spacing(span)); // which says what is allowed
  }

  /** Returns an interval of that length; all else is as usual. */
  public static Interval of(Duration span) {
    return new Interval(span, true, Time.system(), new CompletableFuture<Void>().defaultExecutor());
  }

  /** Returns this interval with another idea of what goes at once. */
  public Interval eager(boolean eager) {
    return new Interval(span, eager, time, executor);
  }

  /** Returns this interval on another clock: for tests that do not sleep. */
  public Interval on(Time time, Executor executor) {
    return new Interval(span, eager, time, executor);
  }

  /**
   * Returns the limiters of subscriptions whose releases are so far apart as they really happen.
   */
  LimiterSource spacing() {
    return LimiterSource.owning(() -> limiter(Limits.spacing(span)));
  }

  Gathering.Idle idle() {
    return eager ? Gathering.Idle.READY : Gathering.Idle.SPENT;
  }

  Limiter limiter(Limit limit) {
    return Limiter.builder(limit).late(Duration.ZERO).time(time).executor(executor).build();
  }
}
