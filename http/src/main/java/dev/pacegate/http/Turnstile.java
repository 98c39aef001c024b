package dev.pacegate.http;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Permit;
import dev.pacegate.RefusedException;
import dev.pacegate.WaitTooLongException;
import dev.pacegate.limit.Cost;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Gets permits for requests; refusals become I/O errors. */
final class Turnstile {

  private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

  private final Route route;
  private final Function<? super HttpRequest, Cost> cost;
  private final Duration maxWait;

  Turnstile(Route route, Function<? super HttpRequest, Cost> cost, Duration maxWait) {
    this.route = route;
    this.cost = cost;
    this.maxWait = maxWait;
  }

  static Duration forever() {
    return FOREVER;
  }

  Permit acquire(HttpRequest request) throws IOException, InterruptedException {
    Cost amount = costOf(request);
    try {
      if (maxWait.equals(FOREVER)) {
        return route.acquire(request, amount);
      }
      var permit = route.tryAcquire(request, amount, maxWait);
      return permit.orElseThrow(() -> new Late(route.estimateWait(request, amount)));
    } catch (Late late) {
      throw new HttpWaitTooLongException(maxWait, late.atLeast);
    } catch (RefusedException refused) {
      throw ioException(refused);
    }
  }

  CompletableFuture<Permit> acquireAsync(HttpRequest request) {
    return route.acquireAsync(request, costOf(request), maxWait);
  }

  /** Returns {@code failure}, or the I/O error that a refusal is to be. */
  Throwable reported(Throwable failure) {
    return failure instanceof RefusedException refused ? ioException(refused) : failure;
  }

  private IOException ioException(RefusedException refused) {
    return refused instanceof WaitTooLongException late
        ? new HttpWaitTooLongException(maxWait, late.atLeast())
        : new HttpRefusedException(refused);
  }

  private Cost costOf(HttpRequest request) {
    return requireNonNull(cost.apply(request), "no cost for the request");
  }

  /** Carries an estimate out of a lambda. */
  private static final class Late extends RuntimeException {

    private static final long serialVersionUID = 1;

    final transient Duration atLeast;

    Late(Duration atLeast) {
      super(null, null, false, false);
      this.atLeast = atLeast;
    }
  }
}
