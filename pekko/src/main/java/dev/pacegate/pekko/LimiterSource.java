package dev.pacegate.pekko;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Limit;
import java.util.function.Supplier;

/**
 * Where the materialisations of a stage take their permits from.
 *
 * @param limiters gives the limiter of one more materialisation
 * @param own whether that is the materialisation's own, to be closed at its end
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

  /** The materialisation that has {@code limiter} ends. */
  void release(Limiter limiter) {
    if (own) {
      limiter.close();
    }
  }
}
