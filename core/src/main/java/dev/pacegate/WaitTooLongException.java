package dev.pacegate;

import dev.pacegate.time.Durations;
import java.time.Duration;

/**
 * Thrown if no permit is available within the time that the caller is willing to wait. {@link
 * Limiter#bottleneck} tells what it would have waited for.
 */
public final class WaitTooLongException extends RefusedException {

  private static final long serialVersionUID = 1;

  private final Duration atLeast;

  /** Used by limiters. */
  public WaitTooLongException(String limiter, String maxWait, Duration atLeast) {
    super(limiter, "no permit within a maxWait of " + maxWait + bound(atLeast));
    this.atLeast = atLeast;
  }

  private static String bound(Duration atLeast) {
    return atLeast.isZero() ? "" : ": from now on it takes at least " + Durations.brief(atLeast);
  }

  /**
   * Returns a lower bound of the wait from the moment of the refusal, under the limit of that
   * moment; zero if no bound is known because the wait depends on other requests.
   */
  public Duration atLeast() {
    return atLeast;
  }
}
