package dev.pacegate.http;

import dev.pacegate.time.Durations;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Optional;

/**
 * Thrown if a request would wait for its permit for longer than {@link
 * PacedHttpClient.Builder#maxWait}. The request was not sent and nothing was charged.
 */
public final class HttpWaitTooLongException extends HttpTimeoutException {

  private static final long serialVersionUID = 1;

  private final Duration atLeast;

  HttpWaitTooLongException(Duration maxWait, Duration atLeast, Optional<String> reason) {
    super(
        "not sent: no permit within "
            + Durations.format(maxWait)
            + (atLeast.isZero() ? "" : ", the wait is at least " + Durations.format(atLeast))
            + reason.map(why -> ": " + why).orElse(""));
    this.atLeast = atLeast;
  }

  /** Returns a lower bound of the wait from the moment of the refusal; zero if none is known. */
  public Duration atLeast() {
    return atLeast;
  }
}
