package dev.pacegate.pekko;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Limit;
import java.util.function.Supplier;

/**
 * The source of the limiters of a stage's materialisations.
 *
 * @param limiters returns the limiter of one more materialisation
 * @param own whether that belongs to the materialisation, to be closed at its end
 */
record LimiterSource(Supplier<Limiter> limiters, boolean own) {

  static LimiterSource sharing(Limiter limiter) {
    requireNonNull(limiter);
    return new LimiterSource(() -> limiter, false);
  }

  static LimiterSource owning(Limit limit) {
    requireNonNull(limit);
    return owning(() -> Limiter.of(limit));
  }

  static LimiterSource owning(Supplier<Limiter> limiters) {
    return new LimiterSource(limiters, true);
  }

  Limiter limiter() {
    return limiters.get();
  }

  /** Releases the limiter of a materialisation that ends. */
  void release(Limiter limiter) {
    if (own) {
      limiter.close();
    }
  }
}
