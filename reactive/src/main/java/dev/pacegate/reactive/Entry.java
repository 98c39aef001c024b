package dev.pacegate.reactive;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Limit;
import java.util.function.Supplier;

/**
 * Where the subscriptions of an operator take their permits from.
 *
 * @param limiter gives the limiter of one more subscription
 * @param own whether that is its own, to be closed at its end
 */
record Entry(Supplier<Limiter> limiter, boolean own) {

  static Entry shared(Limiter limiter) {
    return new Entry(() -> limiter, false);
  }

  static Entry own(Limit limit) {
    return new Entry(() -> Limiter.of(limit), true);
  }
}
