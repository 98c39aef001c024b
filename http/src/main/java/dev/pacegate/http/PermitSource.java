package dev.pacegate.http;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.RefusedException;
import dev.pacegate.WaitTooLongException;
import dev.pacegate.feedback.Answer;
import dev.pacegate.feedback.Feedback;
import dev.pacegate.limit.Cost;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.ResponseInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The limiter and the cost of one request. A refusal becomes an I/O error.
 *
 * @param feedback applies rate-limit headers to the limiter; null to ignore them
 */
record PermitSource(Limiter limiter, Cost cost, Duration maxWait, @Nullable Feedback feedback) {

  static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

  /** Chooses the limiter and the cost of each request. */
  record Factory(
      Function<? super HttpRequest, Limiter> route,
      Function<? super HttpRequest, Cost> cost,
      Duration maxWait,
      @Nullable Feedback feedback) {

    /** Calls each function once: a second call might return something else. */
    PermitSource of(HttpRequest request) {
      Limiter limiter = requireNonNull(route.apply(request), "no limiter for the request");
      Cost amount = requireNonNull(cost.apply(request), "no cost for the request");
      return new PermitSource(limiter, amount, maxWait, feedback);
    }
  }

  Permit acquire() throws IOException, InterruptedException {
    try {
      if (maxWait.equals(FOREVER)) {
        return limiter.acquire(cost);
      }
      Optional<Permit> permit = limiter.tryAcquire(cost, maxWait);
      if (permit.isPresent()) {
        return permit.get();
      }
      throw tooLong(limiter.estimateWait(cost));
    } catch (RefusedException refused) {
      throw ioException(refused);
    }
  }

  CompletableFuture<Permit> acquireAsync() {
    return limiter.acquireAsync(cost, maxWait);
  }

  /** Returns the I/O error for a refusal; any other failure as it is. */
  Throwable reported(Throwable failure) {
    return failure instanceof RefusedException refused ? ioException(refused) : failure;
  }

  private IOException ioException(RefusedException refused) {
    return refused instanceof WaitTooLongException late
        ? tooLong(late.atLeast())
        : new HttpRefusedException(refused);
  }

  private HttpWaitTooLongException tooLong(Duration atLeast) {
    return new HttpWaitTooLongException(maxWait, atLeast, limiter.snapshot().unavailable());
  }

  /** Applies the rate-limit headers of an answer to the limiter. */
  void apply(Permit permit, ResponseInfo answer) {
    if (feedback != null) {
      var read = new Answer(answer.statusCode(), answer.headers()::allValues, Instant.now());
      feedback.apply(limiter, permit, read);
    }
  }
}
