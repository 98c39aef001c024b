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
    super("not sent: " + bounds(maxWait, atLeast) + (reason.isEmpty() ? "" : ": " + reason));
    this.atLeast = atLeast;
  }

  /** A bound that is not longer came when the time was over: it counts from then on. */
  private static String bounds(Duration maxWait, Duration atLeast) {
    String most = Durations.brief(maxWait);
    if (atLeast.isZero()) {
      return "no permit within " + most;
    }
    String least = Durations.brief(atLeast);
    return atLeast.compareTo(maxWait) > 0
        ? "no permit within " + most + ", the wait is at least " + least
        : "waited " + most + " in vain, and would wait at least " + least + " more";
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
