package dev.pacegate.reactive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.Limiter;
import dev.pacegate.time.ManualTime;
import java.time.Duration;

/** An operator between a source and a sink by hand, in time that is moved by hand. */
final class Rig<T, R> {

  final ManualTime time;
  final ByHand<T> source = new ByHand<>();
  final Kept<R> sink;

  /** Demand is unbounded. */
  Rig(ManualTime time, Operator<T, R> operator) {
    this(time, operator, Long.MAX_VALUE);
  }

  Rig(ManualTime time, Operator<T, R> operator, long demand) {
    this(time, operator, new Kept<>(time, demand));
  }

  Rig(ManualTime time, Operator<T, R> operator, Kept<R> sink) {
    this.time = time;
    this.sink = sink;
    operator.apply(source).subscribe(sink);
  }

  static Limiter limiter(ManualTime time, String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  static Interval interval(ManualTime time, int millis) {
    return Interval.of(Duration.ofMillis(millis)).on(time, Runnable::run);
  }

  @SafeVarargs
  final Rig<T, R> send(T... elements) {
    for (T element : elements) {
      source.send(element);
    }
    return this;
  }

  Rig<T, R> pass(int millis) {
    time.advance(Duration.ofMillis(millis));
    return this;
  }

  void assertNothingLeft() {
    assertEquals(0, time.pending(), "timers");
  }

  void assertNothingLeft(Limiter limiter) {
    assertNothingLeft();
    assertEquals(0, limiter.snapshot().waiting(), "waiting");
    assertEquals(0, limiter.snapshot().open(), "open");
  }
}
