package dev.pacegate.http;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Bottleneck;
import dev.pacegate.Limiter;
import dev.pacegate.PeerAnswer;
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
record PermitSource(
    Limiter limiter,
    Cost cost,
    String host,
    WaitBound bound,
    @Nullable Feedback feedback,
    WaitLog log) {

  /** Chooses the limiter and the cost of each request. */
  record Factory(
      Function<? super HttpRequest, Limiter> route,
      Function<? super HttpRequest, Cost> cost,
      @Nullable Feedback feedback,
      WaitLog log) {

    Limiter limiter(HttpRequest request) {
      return requireNonNull(route.apply(request), "no limiter for the request");
    }

    /** Calls each function once: a second call might return something else. */
    PermitSource of(HttpRequest request, WaitBound bound) {
      Limiter limiter = limiter(request);
      Cost amount = requireNonNull(cost.apply(request), "no cost for the request");
      String host = RequestKey.hostOf(request.uri());
      return new PermitSource(limiter, amount, host, bound, feedback, log);
    }
  }

  Permit acquire() throws IOException, InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    try {
      Permit atOnce = limiter.poll(cost);
      return atOnce != null ? atOnce : await();
    } catch (RefusedException refused) {
      throw ioException(refused, bound.span());
    }
  }

  private Permit await() throws IOException, InterruptedException {
    Duration maxWait = bound.left();
    try (var watch = log.begin(limiter, cost, host)) {
      if (maxWait.equals(WaitBound.FOREVER)) {
        return limiter.acquire(cost);
      }
      Optional<Permit> permit = limiter.tryAcquire(cost, maxWait);
      if (permit.isPresent()) {
        return permit.get();
      }
    }
    throw tooLong(limiter.estimateWait(cost), bound.span());
  }

  /** Returns a permit; the exception of a refusal is made by {@link #reported}. */
  @SuppressWarnings("FutureReturnValueIgnored")
  CompletableFuture<Permit> acquireAsync() {
    CompletableFuture<Permit> place = limiter.acquireAsync(cost, bound.left());
    if (!place.isDone()) {
      var watch = log.begin(limiter, cost, host);
      place.whenComplete((permit, refused) -> watch.close());
    }
    return place;
  }

  /** Returns the I/O error for a refusal; any other failure as it is. */
  Throwable reported(Throwable failure) {
    return failure instanceof RefusedException refused
        ? ioException(refused, bound.span())
        : failure;
  }

  private IOException ioException(RefusedException refused, Duration maxWait) {
    return refused instanceof WaitTooLongException late
        ? tooLong(late.atLeast(), maxWait)
        : new HttpRefusedException(refused);
  }

  private HttpWaitTooLongException tooLong(Duration atLeast, Duration maxWait) {
    return new HttpWaitTooLongException(maxWait, atLeast, reason());
  }

  private String reason() {
    try {
      return limiter.bottleneck(cost).map(Bottleneck::reason).orElse("");
    } catch (RefusedException changedMeanwhile) {
      return "";
    }
  }

  /** Returns whether a further request to the same limiter may be sent in time. */
  boolean mayGoInTime() {
    try {
      return limiter.estimateWait(cost).compareTo(bound.left()) <= 0;
    } catch (RefusedException never) {
      return false;
    }
  }

  /** Applies the rate-limit headers of an answer to the limiter, and returns what they say. */
  PeerAnswer apply(Permit permit, ResponseInfo answer) {
    if (feedback == null) {
      return PeerAnswer.NOTHING;
    }
    var read = new Answer(answer.statusCode(), answer.headers().map(), Instant.now());
    return feedback.apply(limiter, permit, read);
  }
}
