package dev.pacegate.http;

import static java.util.Objects.requireNonNull;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.feedback.Answer;
import dev.pacegate.feedback.Feedback;
import dev.pacegate.limit.Cost;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Where a request gets its permit. */
interface Route {

  Optional<Permit> tryAcquire(HttpRequest request, Cost cost, Duration maxWait)
      throws InterruptedException;

  Permit acquire(HttpRequest request, Cost cost) throws InterruptedException;

  CompletableFuture<Permit> acquireAsync(HttpRequest request, Cost cost, Duration maxWait);

  /** Has the limiter heed the answer to a request. */
  void heed(Feedback feedback, HttpRequest request, Permit permit, Answer answer);

  /** Returns a lower bound of the wait. */
  Duration estimateWait(HttpRequest request, Cost cost);

  /** To the limiter that {@code choice} names. */
  record ToLimiter(Function<? super HttpRequest, Limiter> choice) implements Route {

    private Limiter of(HttpRequest request) {
      return requireNonNull(choice.apply(request), "no limiter for the request");
    }

    @Override
    public Optional<Permit> tryAcquire(HttpRequest request, Cost cost, Duration maxWait)
        throws InterruptedException {
      return of(request).tryAcquire(cost, maxWait);
    }

    @Override
    public Permit acquire(HttpRequest request, Cost cost) throws InterruptedException {
      return of(request).acquire(cost);
    }

    @Override
    public CompletableFuture<Permit> acquireAsync(
        HttpRequest request, Cost cost, Duration maxWait) {
      return of(request).acquireAsync(cost, maxWait);
    }

    @Override
    public void heed(Feedback feedback, HttpRequest request, Permit permit, Answer answer) {
      feedback.heed(of(request), permit, answer);
    }

    @Override
    public Duration estimateWait(HttpRequest request, Cost cost) {
      return of(request).estimateWait(cost);
    }
  }

  /** To the key that {@code choice} names. */
  record ToKey<K>(KeyedLimiter<K> limiters, Function<? super HttpRequest, ? extends K> choice)
      implements Route {

    private K of(HttpRequest request) {
      return requireNonNull(choice.apply(request), "no key for the request");
    }

    @Override
    public Optional<Permit> tryAcquire(HttpRequest request, Cost cost, Duration maxWait)
        throws InterruptedException {
      return limiters.tryAcquire(of(request), cost, maxWait);
    }

    @Override
    public Permit acquire(HttpRequest request, Cost cost) throws InterruptedException {
      return limiters.acquire(of(request), cost);
    }

    @Override
    public CompletableFuture<Permit> acquireAsync(
        HttpRequest request, Cost cost, Duration maxWait) {
      return limiters.acquireAsync(of(request), cost, maxWait);
    }

    @Override
    public void heed(Feedback feedback, HttpRequest request, Permit permit, Answer answer) {
      feedback.heed(limiters, of(request), permit, answer);
    }

    @Override
    public Duration estimateWait(HttpRequest request, Cost cost) {
      return limiters.estimateWait(of(request), cost);
    }
  }
}
