package dev.pacegate.pekko;

import static java.util.Objects.requireNonNull;

import dev.pacegate.time.Durations;
import java.time.Duration;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.pekko.stream.javadsl.DelayStrategy;

/** A delay that increases by a step per element. */
final class LinearDelay<T> implements DelayStrategy<T> {

  private final long step;
  private final long initial;
  private final long max;
  private final Predicate<? super T> increases;
  private long delay;

  private LinearDelay(long step, long initial, long max, Predicate<? super T> increases) {
    this.step = step;
    this.initial = initial;
    this.max = max;
    this.increases = increases;
    this.delay = initial;
  }

  static <T> Supplier<DelayStrategy<T>> strategies(
      Duration step, Duration initial, Duration max, Predicate<? super T> increases) {
    requireNonNull(increases);
    long stepNanos = SpanNanos.positive("step", step);
    long maxNanos = SpanNanos.positive("max", max);
    if (initial.isNegative() || initial.compareTo(max) >= 0) {
      throw new IllegalArgumentException(
          "initial must be from 0s to less than max ("
              + Durations.decimal(max)
              + "): "
              + Durations.decimal(initial));
    }
    long initialNanos = initial.toNanos();
    return () -> new LinearDelay<>(stepNanos, initialNanos, maxNanos, increases);
  }

  @Override
  public Duration nextDelay(T element) {
    delay = increases.test(element) ? Math.min(delay + step, max) : initial;
    return Duration.ofNanos(delay);
  }
}
