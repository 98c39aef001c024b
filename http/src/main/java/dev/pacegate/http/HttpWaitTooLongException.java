package dev.pacegate.http;

import dev.pacegate.adapter.NotSentException;
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

  HttpWaitTooLongException(NotSentException why) {
    super(why.getMessage());
    this.atLeast = why.atLeast().orElse(Duration.ZERO);
  }

  /** Returns a lower bound of the wait from the moment of the refusal; zero if none is known. */
  public Duration atLeast() {
    return atLeast;
  }
}
