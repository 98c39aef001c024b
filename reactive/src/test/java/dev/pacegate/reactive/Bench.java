package dev.pacegate.reactive;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.function.Function;
import org.reactivestreams.Publisher;

/** Streams in a time that only a test moves. */
final class Bench {

  static final Function<Integer, Cost> VALUE = Cost::of;
  static final Function<Object, Cost> ONE = element -> Cost.ONE;

  final ManualTime time = ManualTime.manual();

  Limiter limiter(String limit) {
    return limiter(Limits.parse(limit));
  }

  private Limiter limiter(Limit limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  /** A limiter for each subscription. */
  LimiterSource owning(String limit) {
    return LimiterSource.owning(() -> limiter(Limits.parse(limit)));
  }

  Operator<Integer, Integer> throttle(String limit) {
    return Pace.throttle(owning(limit), ONE);
  }

  Operator<Integer, Integer> throttle(String limit, Function<Integer, Cost> cost) {
    return Pace.throttle(owning(limit), cost);
  }

  Operator<Integer, Integer> enforce(String limit) {
    return Pace.enforce(owning(limit), ONE);
  }

  Operator<Integer, Integer> enforce(String limit, Function<Integer, Cost> cost) {
    return Pace.enforce(owning(limit), cost);
  }

  <T> Sink<T> sink(Publisher<T> publisher) {
    var sink = new Sink<T>(time);
    publisher.subscribe(sink);
    return sink;
  }

  void advance(long millis) {
    time.advance(Duration.ofMillis(millis));
  }

  /** Whether anything is left that would ever run. */
  boolean isQuiet() {
    return time.pending() == 0;
  }
}
