package dev.pacegate;

import dev.pacegate.time.Durations;
import java.time.Duration;
import java.util.Optional;

/**
 * How a limiter reacts to refusals by the peer: an immutable value.
 *
 * @param pause the pause after a refusal that states none, or states zero
 * @param longest the longest pause. If empty: what a refusal itself states, in {@code Retry-After}
 *     or as the reset of a quota that is a term of the limit, holds for up to a day; any other
 *     pause is at most as long as the limit's longest interval, at least a minute and at most ten
 * @param learns whether refusals lower the working rate, and double a pause that the peer does not
 *     state: see {@link Limiter#heard}
 */
@CheckReturnValue
public record Backoff(Duration pause, Optional<Duration> longest, boolean learns) {

  /** Checks the ranges. */
  public Backoff {
    if (pause.isNegative()) {
      throw new IllegalArgumentException("pause must not be negative: " + Durations.decimal(pause));
    }
    if (longest.isPresent() && longest.get().compareTo(pause) < 0) {
      throw new IllegalArgumentException(
          "the longest pause must not be shorter than the pause, "
              + Durations.decimal(pause)
              + ": "
              + Durations.decimal(longest.get()));
    }
  }

  /** Returns a backoff that learns, with a pause of one second. */
  public static Backoff standard() {
    return new Backoff(Duration.ofSeconds(1), Optional.empty(), true);
  }

  /** Returns this backoff with another pause after refusals that state none. */
  public Backoff withPause(Duration pause) {
    return new Backoff(pause, longest, learns);
  }

  /** Returns this backoff with a longest pause, which holds whatever the peer states. */
  public Backoff withLongest(Duration longest) {
    return new Backoff(pause, Optional.of(longest), learns);
  }

  /** Returns this backoff with learning on or off. */
  public Backoff withLearning(boolean learns) {
    return new Backoff(pause, longest, learns);
  }
}
