package dev.pacegate;

import static java.util.Objects.requireNonNull;

import dev.pacegate.limit.Limit;
import java.time.Duration;
import java.util.Optional;

/**
 * What a request would wait for, as of one instant: an immutable value.
 *
 * @param term the term of the limit for which it would wait longest; empty if it would wait longer
 *     for something else, such as the end of a pause
 * @param atLeast a lower bound of the whole wait, as {@link Limiter#estimateWait}; zero if none is
 *     known
 * @param reason what it would wait for, in words, such as {@code 10/1m: 10 of 10 spent}
 */
public record Bottleneck(Optional<Limit> term, Duration atLeast, String reason) {

  /** Checks that no component is null. */
  public Bottleneck {
    requireNonNull(term);
    requireNonNull(atLeast);
    requireNonNull(reason);
  }

  /** Returns the reason. */
  @Override
  public String toString() {
    return reason;
  }
}
