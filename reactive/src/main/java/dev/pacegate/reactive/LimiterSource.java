package dev.pacegate.reactive;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Limit;
import java.util.function.Supplier;

/**
 * The source of the limiters of an operator's subscriptions. The operator ends a permit when
 * downstream has taken the element, so it refuses limits that count until the answer is in.
 *
 * @param limiters returns the limiter of one more subscription
 * @param own whether that belongs to the subscription, to be closed at its end
 */
record LimiterSource(Supplier<Limiter> limiters, boolean own) {

  static LimiterSource sharing(Limiter limiter) {
    limiter.limits().forEach(LimiterSource::check);
    return new LimiterSource(() -> limiter, false);
  }

  static LimiterSource owning(Limit limit) {
    check(limit);
    return owning(() -> Limiter.of(limit));
  }

  static LimiterSource owning(Supplier<Limiter> limiters) {
    return new LimiterSource(limiters, true);
  }

  private static void check(Limit limit) {
    if (limit.countsWhole()) {
      throw new IllegalArgumentException(
          limit
              + " counts an element until it is answered, but this operator ends a permit when"
              + " downstream has taken the element: use Pace.mapThrottled, or a limit of starts such"
              + " as 10/1s");
    }
  }

  Limiter limiter() {
    return limiters.get();
  }

  /** Releases the limiter of a subscription that ends. */
  void release(Limiter limiter) {
    if (own) {
      limiter.close();
    }
  }
}
