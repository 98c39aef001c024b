package dev.pacegate.reactive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** Real threads: whatever happens at once, nothing overlaps, and nothing is left in the limiter. */
@Tag("slow")
class RaceTest {

  private static final int STREAMS = 8;

  private final long seed = Long.getLong("pacegate.seed", System.nanoTime());
  private final Random random = new Random(seed);

  /** Asks from other threads, cancels at a random element, and minds that signals are serial. */
  private static final class Racer implements Subscriber<Integer> {
    final CountDownLatch over = new CountDownLatch(1);
    final AtomicInteger inside = new AtomicInteger();
    final List<Integer> seen = new ArrayList<>();
    final int cancelAt;
    volatile boolean overlapped;
    volatile boolean completed;

    @SuppressWarnings("NullAway.Init")
    private volatile Subscription subscription;

    Racer(int cancelAt) {
      this.cancelAt = cancelAt;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
      this.subscription = subscription;
      for (int i = 0; i < 3; i++) {
        ForkJoinPool.commonPool().execute(() -> subscription.request(2));
      }
    }

    @Override
    public void onNext(Integer element) {
      overlapped |= inside.incrementAndGet() != 1;
      seen.add(element);
      if (seen.size() == cancelAt) {
        ForkJoinPool.commonPool().execute(this::cancel);
      }
      ForkJoinPool.commonPool().execute(() -> subscription.request(1));
      overlapped |= inside.decrementAndGet() != 0;
    }

    private void cancel() {
      subscription.cancel();
      over.countDown();
    }

    @Override
    public void onError(Throwable reason) {
      overlapped |= inside.get() != 0;
      over.countDown();
    }

    @Override
    public void onComplete() {
      overlapped |= inside.get() != 0;
      completed = true;
      over.countDown();
    }
  }

  @RepeatedTest(30)
  void throttledStreamsLeaveNothing() throws InterruptedException {
    race(
        Limiter.of("20/1ms & concurrent(2)"), // which an operator refuses, unless it comes later
        limiter -> Pace.throttle(new LimiterSource(() -> limiter, false), Bench.ONE),
        true);
  }

  @RepeatedTest(30)
  void mappedStreamsLeaveNothing() throws InterruptedException {
    race(
        Limiter.of("20/1ms & concurrent(3)"),
        limiter ->
            Pace.mapThrottled(
                limiter,
                element -> CompletableFuture.supplyAsync(() -> element),
                Concurrency.ordered(4)),
        true);
  }

  @RepeatedTest(30)
  void unorderedStreamsLeaveNothing() throws InterruptedException {
    race(
        Limiter.of("concurrent(3)"),
        limiter ->
            Pace.mapThrottled(
                limiter,
                element -> CompletableFuture.supplyAsync(() -> element),
                Concurrency.unordered(4)),
        false);
  }

  /**
   * Who completes the futures of a limiter is held up by what follows on one of them; another
   * thread does it then, if the executor has one. (The common pool may have a single one.)
   */
  @Test
  void aDownstreamThatBlocksHoldsUpNoOtherStream() throws InterruptedException {
    ExecutorService threads = Executors.newCachedThreadPool();
    Limiter limiter = Limiter.builder("spacing(1ms)").executor(threads).build();
    var free = new CountDownLatch(1);
    var blocked = new CountDownLatch(1);
    limiter.pause(); // so it goes on where futures are completed
    Flux.just(1)
        .transform(Pace.throttle(limiter))
        .subscribe(
            element -> {
              blocked.countDown();
              awaitQuietly(free);
            });
    limiter.resume();
    try {
      assertTrue(blocked.await(30, TimeUnit.SECONDS));
      var other = new CountDownLatch(1);
      Flux.range(0, 20)
          .transform(Pace.throttle(limiter))
          .doOnComplete(other::countDown)
          .subscribe();
      assertTrue(other.await(30, TimeUnit.SECONDS), "the other stream is stuck");
    } finally {
      free.countDown();
      threads.shutdown();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private interface Maker {
    Operator<Integer, Integer> of(Limiter limiter);
  }

  private void race(Limiter limiter, Maker maker, boolean ordered) throws InterruptedException {
    var racers = new ArrayList<Racer>();
    Operator<Integer, Integer> operator = maker.of(limiter);
    for (int stream = 0; stream < STREAMS; stream++) {
      var racer = new Racer(1 + random.nextInt(40));
      racers.add(racer);
      Flux<Integer> numbers = Flux.range(0, 30);
      operator
          .apply(random.nextBoolean() ? numbers : numbers.publishOn(Schedulers.parallel(), 1))
          .subscribe(racer);
    }
    for (Racer racer : racers) {
      assertTrue(racer.over.await(30, TimeUnit.SECONDS), "a stream is stuck; seed " + seed);
      assertTrue(!racer.overlapped, "signals overlap; seed " + seed);
      assertTrue(!racer.completed || racer.seen.size() == 30, "one is lost; seed " + seed);
    }
    for (Racer racer : racers) {
      for (int i = 0; ordered && i < Math.min(racer.seen.size(), racer.cancelAt); i++) {
        assertEquals(i, racer.seen.get(i), "seed " + seed);
      }
    }
    assertEmpties(limiter);
  }

  /** What is cancelled ends on threads of its own. */
  private void assertEmpties(Limiter limiter) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    var now = limiter.snapshot();
    while ((now.waiting() > 0 || now.open() > 0) && System.nanoTime() < deadline) {
      Thread.sleep(1); // for those threads
      now = limiter.snapshot();
    }
    assertEquals(0, now.waiting(), "seed " + seed);
    assertEquals(0, now.open(), "seed " + seed);
  }
}
