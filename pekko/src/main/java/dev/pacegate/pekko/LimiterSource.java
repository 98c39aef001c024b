package dev.pacegate.pekko;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Limit;
import java.util.function.Supplier;

/**
 * The source of the limiters of a stage's materialisations. The stage ends a permit when it has
 * pushed the element, so it refuses limits that count until the answer is in.
 *
 * @param limiters returns the limiter of one more materialisation
 * @param own whether that belongs to the materialisation, to be closed at its end
 */
record LimiterSource(Supplier<Limiter> limiters, boolean own) {

  static final String INSTEAD = "Throttle.mapAsync";

  static LimiterSource sharing(Limiter limiter) {
    return sharing(limiter, INSTEAD);
  }

  /** As {@link #sharing(Limiter)}; a refusal names what to use instead. */
  static LimiterSource sharing(Limiter limiter, String instead) {
    limiter.limits().forEach(limit -> check(limit, instead));
    return new LimiterSource(() -> limiter, false);
  }

  static LimiterSource owning(Limit limit) {
    return owning(limit, INSTEAD, () -> Limiter.of(limit));
  }

  /** As {@link #owning(Limit)}, with limiters of {@code limit} that are made another way. */
  static LimiterSource owning(Limit limit, String instead, Supplier<Limiter> limiters) {
    check(limit, instead);
    return new LimiterSource(limiters, true);
  }

  private static void check(Limit limit, String instead) {
    if (limit.countsWhole()) {
      throw new IllegalArgumentException(
          limit
              + " counts an element until it is answered, but this stage ends a permit when the"
              + " element has been pushed: use "
              + instead
              + ", or a limit of starts such as 10/1s");
    }
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
