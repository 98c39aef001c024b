package dev.pacegate.adapter;

import static java.util.Objects.requireNonNull;

import dev.pacegate.PeerAnswer;
import dev.pacegate.Permit;
import dev.pacegate.result.CallerContext;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One call of the user: its request and those that follow from it, one after another. Redirects,
 * rounds of authentication and retries of the same call share its bound of waits and its count of
 * retries. Its requests may be on different threads, but not at the same time.
 *
 * @param <Q> the client's type of a request
 * @param <R> the client's type of a response
 */
public final class PacedCall<Q, R> {

  private final RequestPacing<Q, R> pacing;
  private final WaitBound bound;
  private int retried;

  PacedCall(RequestPacing<Q, R> pacing, WaitBound bound) {
    this.pacing = pacing;
    this.bound = bound;
  }

  /**
   * Waits for the permit of a request that is about to be sent.
   *
   * @throws NotSentException if there is none in time, or at all
   * @throws InterruptedException if interrupted before or while waiting; nothing has been charged
   * @throws IllegalArgumentException if the limiter does not {@linkplain
   *     dev.pacegate.Limiter#requireCounted count} the cost
   */
  public PacedRequest<R> acquire(Q request) throws NotSentException, InterruptedException {
    PermitSource source = pacing.source(requireNonNull(request), bound);
    return paced(request, source, source.acquire());
  }

  /**
   * As {@link #acquire}, without a waiting thread. Cancelling the future, or completing it in any
   * other way, leaves the queue. Its dependents run as those of {@link
   * dev.pacegate.Limiter#acquireAsync(dev.pacegate.limit.Cost)} do; those that it has when a permit
   * comes after a wait run in the {@linkplain dev.pacegate.Limiter#context context} of who called
   * this.
   *
   * @return the request; fails with {@link NotSentException}
   */
  @SuppressWarnings("FutureReturnValueIgnored")
  public CompletableFuture<PacedRequest<R>> acquireAsync(Q request) {
    PermitSource source = pacing.source(requireNonNull(request), bound);
    var paced = new CompletableFuture<PacedRequest<R>>();
    CompletableFuture<Permit> place = source.acquireAsync();
    try {
      CallerContext context = CallerContext.capture(source.limiter().context(), place);
      place.whenComplete(
          (permit, refused) -> granted(context, paced, request, source, permit, refused));
      paced.whenComplete((given, cancelled) -> place.cancel(false)); // or it is granted already
    } catch (Throwable failure) {
      paced.completeExceptionally(failure);
    }
    return paced;
  }

  private void granted(
      CallerContext context,
      CompletableFuture<PacedRequest<R>> paced,
      Q request,
      PermitSource source,
      @Nullable Permit permit,
      @Nullable Throwable refused) {
    if (permit == null) {
      Throwable failure = refused == null ? new IllegalStateException() : refused;
      paced.completeExceptionally(source.reported(failure));
      return;
    }
    try {
      if (!context.call(permit, () -> paced.complete(paced(request, source, permit)))) {
        permit.notSent();
      }
    } catch (Throwable ofThePropagator) {
      paced.completeExceptionally(ofThePropagator);
    }
  }

  private PacedRequest<R> paced(Q request, PermitSource source, Permit permit) {
    return new PacedRequest<>(
        pacing, source.limiter(), permit, answer -> mayRetry(request, source, answer));
  }

  private boolean mayRetry(Q request, PermitSource source, PeerAnswer answer) {
    if (!pacing.retries.allow(pacing.messages, request, answer, retried) || !source.mayGoInTime()) {
      return false;
    }
    retried++;
    return true;
  }

  /**
   * Returns {@code span}, or what is left of the time for all waits of this call if that is less.
   */
  public Duration within(Duration span) {
    return bound.within(requireNonNull(span));
  }
}
