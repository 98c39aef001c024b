package dev.pacegate.proxy;

import static java.util.Objects.requireNonNullElse;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.SourceUnavailableException;
import dev.pacegate.TooManyKeysException;
import dev.pacegate.WaitQueueFullException;
import dev.pacegate.adapter.NotSentException;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * An answer of the proxy itself.
 *
 * @param retryAfter when to come again; empty if nothing is known of that
 */
record Rejection(int status, String reason, Optional<Duration> retryAfter) {

  private static final Duration LEAST = Duration.ofSeconds(1);

  static Rejection of(int status, String reason) {
    return new Rejection(status, reason, Optional.empty());
  }

  /**
   * A request that gets no permit.
   *
   * @param estimate how long it would wait now, asked for if the refusal does not tell
   */
  static Rejection noPermit(Throwable failure, Supplier<Duration> estimate) {
    int status = status(failure);
    if (status == 429 && failure instanceof NotSentException refused) {
      Duration later = refused.atLeast().orElseGet(estimate);
      String reason =
          failure.getCause() instanceof WaitQueueFullException
              ? "not sent: too many requests wait" // the message names options of Java
              : message(failure);
      return new Rejection(status, reason, Optional.of(later));
    }
    return of(status, status == 500 ? "no permit: " + message(failure) : message(failure));
  }

  /** Only what a wait helps against is a matter of the limit. */
  private static int status(Throwable failure) {
    if (!(failure instanceof NotSentException refused)) {
      return 500;
    }
    Throwable why = refused.getCause();
    if (why instanceof LimiterClosedException
        || why instanceof SourceUnavailableException
        || why instanceof TooManyKeysException) {
      return 503;
    }
    return why instanceof CostTooLargeException ? 500 : 429;
  }

  private static String message(Throwable failure) {
    return requireNonNullElse(failure.getMessage(), failure.getClass().getSimpleName());
  }

  /** Ends {@code response} with this; {@code last} tells the client to send nothing after it. */
  Future<Void> answer(HttpServerResponse response, boolean last) {
    response.headers().clear(); // those of an answer that broke off
    response.setChunked(false);
    retryAfter.ifPresent(
        wait -> response.putHeader("Retry-After", Long.toString(wholeSeconds(wait))));
    if (last) {
      response.putHeader("Connection", "close");
    }
    return response
        .setStatusCode(status)
        .putHeader("Content-Type", "text/plain; charset=utf-8")
        .putHeader("Cache-Control", "no-store")
        .end("pacegate: " + reason + "\n");
  }

  /** Rounded up: who comes a moment too early is refused again. */
  static long wholeSeconds(Duration wait) {
    Duration least = wait.compareTo(LEAST) < 0 ? LEAST : wait;
    return least.plusSeconds(1).minusNanos(1).toSeconds();
  }

  /** As the answer says it. */
  @Override
  public String toString() {
    return status
        + " "
        + reason
        + retryAfter.map(wait -> "; Retry-After: " + wholeSeconds(wait)).orElse("");
  }
}
