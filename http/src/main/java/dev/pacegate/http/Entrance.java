package dev.pacegate.http;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.feedback.Answer;
import dev.pacegate.feedback.Feedback;
import dev.pacegate.limit.Cost;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Where a request gets its permit: a limiter, or a key of one. */
sealed interface Entrance {

  Optional<Permit> tryAcquire(Cost cost, Duration maxWait) throws InterruptedException;

  Permit acquire(Cost cost) throws InterruptedException;

  CompletableFuture<Permit> acquireAsync(Cost cost, Duration maxWait);

  /** Returns a lower bound of the wait. */
  Duration estimateWait(Cost cost);

  /** Has the limiter heed the answer to a request that it has let through. */
  void heed(Feedback feedback, Permit permit, Answer answer);

  /** A limiter. */
  record OfLimiter(Limiter limiter) implements Entrance {

    @Override
    public Optional<Permit> tryAcquire(Cost cost, Duration maxWait) throws InterruptedException {
      return limiter.tryAcquire(cost, maxWait);
    }

    @Override
    public Permit acquire(Cost cost) throws InterruptedException {
      return limiter.acquire(cost);
    }

    @Override
    public CompletableFuture<Permit> acquireAsync(Cost cost, Duration maxWait) {
      return limiter.acquireAsync(cost, maxWait);
    }

    @Override
    public Duration estimateWait(Cost cost) {
      return limiter.estimateWait(cost);
    }

    @Override
    public void heed(Feedback feedback, Permit permit, Answer answer) {
      feedback.heed(limiter, permit, answer);
    }
  }

  /** A key. */
  record OfKey<K>(KeyedLimiter<K> limiters, K key) implements Entrance {

    @Override
    public Optional<Permit> tryAcquire(Cost cost, Duration maxWait) throws InterruptedException {
      return limiters.tryAcquire(key, cost, maxWait);
    }

    @Override
    public Permit acquire(Cost cost) throws InterruptedException {
      return limiters.acquire(key, cost);
    }

    @Override
    public CompletableFuture<Permit> acquireAsync(Cost cost, Duration maxWait) {
      return limiters.acquireAsync(key, cost, maxWait);
    }

    @Override
    public Duration estimateWait(Cost cost) {
      return limiters.estimateWait(key, cost);
    }

    @Override
    public void heed(Feedback feedback, Permit permit, Answer answer) {
      feedback.heed(limiters, key, permit, answer);
    }
  }
}
