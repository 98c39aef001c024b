package dev.pacegate.http;

import dev.pacegate.time.Durations;
import java.net.http.HttpTimeoutException;
import java.time.Duration;

/**
 * Thrown if a request would wait for its permit for longer than {@link
 * PacedHttpClient.Builder#maxWait} or, with {@link PacedHttpClient.Builder#maxWaitFromTimeout}, its
 * own time-out. The message says for what it would wait. The request was not sent and nothing was
 * charged.
 */
public final class HttpWaitTooLongException extends HttpTimeoutException {

  private static final long serialVersionUID = 1;

  private final Duration atLeast;

  HttpWaitTooLongException(Duration maxWait, Duration atLeast, String reason) {
    super(
        "not sent: no permit within "
            + Durations.brief(maxWait)
            + (atLeast.isZero() ? "" : ", the wait is at least " + Durations.brief(atLeast))
            + (reason.isEmpty() ? "" : ": " + reason));
    this.atLeast = atLeast;
  }

  /** Returns a lower bound of the wait from the moment of the refusal; zero if none is known. */
  public Duration atLeast() {
    return atLeast;
  }
}
