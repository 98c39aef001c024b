package dev.pacegate.adapter;

import dev.pacegate.Bottleneck;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.RefusedException;
import dev.pacegate.WaitTooLongException;
import dev.pacegate.limit.Cost;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Where the permit of one request comes from. A refusal becomes an I/O error. */
record PermitSource(
    Limiter limiter, Cost cost, Supplier<String> host, WaitBound bound, WaitLog log) {

  Permit acquire() throws NotSentException, InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    try {
      Permit atOnce = limiter.poll(cost);
      return atOnce != null ? atOnce : await();
    } catch (RefusedException refused) {
      throw notSent(refused);
    }
  }

  private Permit await() throws NotSentException, InterruptedException {
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
    throw tooLong(limiter.estimateWait(cost));
  }

  /** Returns a permit, or fails as the limiter does: see {@link #reported}. */
  @SuppressWarnings("FutureReturnValueIgnored")
  CompletableFuture<Permit> acquireAsync() {
    CompletableFuture<Permit> place = limiter.acquireAsync(cost, bound.left());
    if (!place.isDone()) {
      var watch = log.begin(limiter, cost, host);
      if (watch != null) {
        place.whenComplete((permit, refused) -> watch.close());
      }
    }
    return place;
  }

  /** Returns the I/O error for a refusal; any other failure as it is. */
  Throwable reported(Throwable failure) {
    return failure instanceof RefusedException refused ? notSent(refused) : failure;
  }

  private NotSentException notSent(RefusedException refused) {
    return refused instanceof WaitTooLongException late
        ? tooLong(late.atLeast())
        : new NotSentException(refused);
  }

  private NotSentException tooLong(Duration atLeast) {
    return new NotSentException(bound.span(), atLeast, reason());
  }

  private String reason() {
    try {
      return limiter.bottleneck(cost).map(Bottleneck::reason).orElse("");
    } catch (RuntimeException | Error unknown) {
      return ""; // the refusal is told without it
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
}
