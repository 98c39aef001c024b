package dev.pacegate.pekko;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Limit;
import java.util.function.Supplier;

/**
 * Where a stage has its limiter from, and what it does when there is no permit.
 *
 * @param limiter asked at each materialisation
 * @param own whether the limiter is the materialisation's own, to be closed at its end
 * @param enforcing whether the stage fails rather than waits
 */
record Pacing(Supplier<Limiter> limiter, boolean own, boolean enforcing) {

  Pacing {
    requireNonNull(limiter);
  }

  static Pacing sharing(Limiter limiter) {
    requireNonNull(limiter);
    return new Pacing(() -> limiter, false, false);
  }

  static Pacing owning(Limit limit) {
    requireNonNull(limit);
    return owning(() -> Limiter.of(limit));
  }

  static Pacing owning(Supplier<Limiter> limiter) {
    return new Pacing(limiter, true, false);
  }

  Pacing enforced() {
    return new Pacing(limiter, own, true);
  }

  void ended(Limiter used) {
    if (own) {
      used.close();
    }
  }
}
