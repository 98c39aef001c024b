package dev.pacegate.waiting;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Futures whose callbacks block, or whose executor never comes, hold up no other waiter. */
@Tag("jdk")
class StallTest {

  @Test
  void aCallbackThatBlocksHoldsUpNoOtherWaiter() {
    ExecutorService pool = Executors.newCachedThreadPool(StallTest::daemon);
    Limiter limiter = Limiter.builder("1/10ms").executor(pool).build();
    limiter.pause(); // a future that is done at once would block this thread
    var never = new CountDownLatch(1);
    CompletableFuture<Void> blocked = limiter.acquireAsync().thenAccept(permit -> await(never));
    CompletableFuture<Permit> second = limiter.acquireAsync();
    limiter.resume();
    try {
      assertTimeoutPreemptively(Duration.ofSeconds(10), () -> limiter.acquire().answered());
      assertDoesNotThrow(() -> second.get(10, TimeUnit.SECONDS));
    } finally {
      never.countDown();
      blocked.orTimeout(10, TimeUnit.SECONDS).join();
      pool.shutdown();
    }
  }

  @Test
  void aCallbackMayWaitForAnotherFutureOfTheSameLimiter() {
    Limiter limiter = Limiter.of("1/1ms");
    limiter.pause(); // a future that is done at once would block this thread
    var second = new CompletableFuture<CompletableFuture<Permit>>();
    CompletableFuture<Permit> waitsForIt =
        limiter.acquireAsync().thenApply(permit -> second.join().join());
    second.complete(limiter.acquireAsync());
    limiter.resume();
    assertTimeoutPreemptively(Duration.ofSeconds(10), () -> waitsForIt.join().answered());
  }

  @Test
  void anExecutorThatIsShutDownWithItsQueueHoldsUpNoWaiter() {
    var given = new LinkedBlockingQueue<Runnable>();
    var shutDown = new AtomicBoolean();
    Executor executor =
        work -> {
          if (shutDown.get()) {
            throw new RejectedExecutionException();
          }
          given.add(work);
        };
    Limiter limiter = Limiter.builder("1/100ms").executor(executor).build();
    limiter.pause();
    CompletableFuture<Permit> future = limiter.acquireAsync();
    limiter.resume();
    assertTimeoutPreemptively(Duration.ofSeconds(10), given::take); // and forgets it
    shutDown.set(true);
    assertTimeoutPreemptively(Duration.ofSeconds(10), () -> future.join().answered());
    assertTimeoutPreemptively(Duration.ofSeconds(10), () -> limiter.acquire().answered());
  }

  private static Thread daemon(Runnable work) {
    var thread = new Thread(work);
    thread.setDaemon(true);
    return thread;
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
