package dev.pacegate.adapter;

import dev.pacegate.RefusedException;
import dev.pacegate.time.Durations;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if a request gets no permit: within the time that it may wait, or at all. The request was
 * not sent and nothing was charged. The message says for what it would have waited.
 */
public final class NotSentException extends IOException {

  private static final long serialVersionUID = 1;

  private final @Nullable Duration atLeast;

  /** The wait is too long. */
  NotSentException(Duration maxWait, Duration atLeast, String reason) {
    super(
        "not sent: no permit within "
            + Durations.brief(maxWait)
            + (atLeast.isZero() ? "" : ", the wait is at least " + Durations.brief(atLeast))
            + (reason.isEmpty() ? "" : ": " + reason));
    this.atLeast = atLeast;
  }

  /** No wait is long enough. */
  NotSentException(RefusedException why) {
    super("not sent: " + why.getMessage(), why);
    this.atLeast = null;
  }

  /**
   * Returns a lower bound of the wait from the moment of the refusal, zero if none is known; empty
   * if the request was refused for another reason than its wait: the limiter is closed, its queue
   * is full, it has too many keys, its source is not available, or the cost can never pass.
   */
  public Optional<Duration> atLeast() {
    return Optional.ofNullable(atLeast);
  }
}
