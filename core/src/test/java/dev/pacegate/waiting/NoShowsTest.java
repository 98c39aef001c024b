package dev.pacegate.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.Permit;
import dev.pacegate.dispatch.ThrottledExecutorService;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Who is called, and whose executor is slow to send a thread or never does. */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of a place is seen in `ran`
class NoShowsTest {

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration MILLI = Duration.ofMillis(1);

  private final ManualTime time = ManualTime.manual();
  private final List<Runnable> busy = new ArrayList<>(); // an executor that does nothing by itself
  private final List<String> ran = new ArrayList<>();

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  private CompletableFuture<Permit> ask(Limiter limiter, String name) {
    return limiter.acquireAsync(Cost.ONE, busy::add, permit -> ran.add(name));
  }

  private void threadsCome() {
    List<Runnable> all = List.copyOf(busy);
    busy.clear();
    all.forEach(Runnable::run);
  }

  @Test
  void aLateFutureStandsInNoWaitersWay() {
    Limiter limiter = limiter("1/1s");
    ask(limiter, "late");
    assertFalse(limiter.tryAcquire().isPresent(), "its thread may come any moment");
    time.advance(MILLI);
    assertEquals(1, limiter.snapshot().waiting());
    assertTrue(limiter.tryAcquire().isPresent());
    assertEquals(0, time.pending());
  }

  @Test
  void aLateThreadTakesAPermitIfThereIsOne() {
    Limiter limiter = limiter("1/1s");
    ask(limiter, "late");
    time.advance(SECOND);
    threadsCome();
    assertEquals(List.of("late"), ran);
    assertFalse(limiter.tryAcquire().isPresent());
    assertEquals(0, limiter.snapshot().waiting());
  }

  @Test
  void aThreadThatComesTooLateGoesBackToItsPlace() {
    Limiter limiter = limiter("1/1s");
    ask(limiter, "first");
    time.advance(MILLI);
    ask(limiter, "second");
    time.advance(MILLI);
    assertTrue(limiter.tryAcquire().isPresent());
    ask(limiter, "third");
    threadsCome();
    assertEquals(List.of(), ran);
    for (int i = 0; i < 3; i++) {
      time.advance(SECOND);
      threadsCome();
    }
    assertEquals(List.of("first", "second", "third"), ran);
    assertEquals(0, limiter.snapshot().waiting());
    time.advance(SECOND);
    assertEquals(0, time.pending());
  }

  /** The one that waits for the key by then has an alarm, and loses it to those that come back. */
  @Test
  void aThreadThatComesTooLateForAKeyGoesBackToItsPlace() {
    KeyedLimiter<String> keyed =
        KeyedLimiter.builder("1/1s").time(time).executor(Runnable::run).build();
    Limiter key = keyed.limiter("a");
    ask(key, "first");
    time.advance(MILLI);
    ask(key, "second");
    time.advance(MILLI);
    assertTrue(key.tryAcquire().isPresent());
    ask(key, "third");
    threadsCome();
    for (int i = 0; i < 3; i++) {
      time.advance(SECOND);
      threadsCome();
    }
    assertEquals(List.of("first", "second", "third"), ran);
  }

  @Test
  void aThreadThatComesInTimeFindsItsPermit() {
    Limiter limiter = limiter("1/1s");
    ask(limiter, "in time");
    time.advanceNanos(999_999);
    assertFalse(limiter.tryAcquire().isPresent());
    threadsCome();
    assertEquals(List.of("in time"), ran);
    assertEquals(0, time.pending());
  }

  @Test
  void aLateThreadMayStillLeave() {
    Limiter limiter = limiter("1/1s");
    CompletableFuture<Permit> place = ask(limiter, "late");
    time.advance(SECOND);
    assertTrue(place.cancel(true));
    assertEquals(0, limiter.snapshot().waiting());
    threadsCome();
    assertEquals(List.of(), ran);
    assertTrue(limiter.tryAcquire().isPresent());
  }

  @Test
  void aLateThreadIsTurnedAwayWhenTheLimiterCloses() {
    Limiter limiter = limiter("1/1s");
    CompletableFuture<Permit> place = ask(limiter, "late");
    time.advance(SECOND);
    limiter.close();
    threadsCome();
    var failure = assertThrows(CompletionException.class, place::join);
    assertInstanceOf(LimiterClosedException.class, failure.getCause());
    assertEquals(0, limiter.snapshot().waiting());
  }

  @Test
  void aKeyIsKeptWhileAFutureIsLateForIt() {
    Limiter all = Limiter.builder("unlimited").time(time).executor(Runnable::run).build();
    KeyedLimiter<String> limiter = KeyedLimiter.builder("1/1s").within(all).build();
    CompletableFuture<Permit> place = ask(limiter.limiter("a"), "late");
    time.advance(Duration.ofMinutes(1));
    assertEquals(1, limiter.size());
    place.cancel(true);
    time.advance(Duration.ofMillis(20));
    assertEquals(0, limiter.size());
  }

  @Test
  void anExecutorThatIsShutDownHoldsUpNoOtherWaiter() throws InterruptedException {
    Limiter limiter = Limiter.of("10/100ms");
    ExecutorService pool = Executors.newSingleThreadExecutor();
    var running = new CountDownLatch(1);
    pool.execute(
        () -> {
          running.countDown();
          try {
            new CountDownLatch(1).await();
          } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
          }
        });
    running.await();
    ThrottledExecutorService paced = ThrottledExecutorService.of(limiter, pool);
    for (int i = 0; i < 30; i++) {
      var unused = paced.submit(() -> ran.add("never"));
    }
    pool.shutdownNow();
    assertThrows(RejectedExecutionException.class, () -> pool.execute(() -> {}));
    for (int i = 0; i < 20; i++) {
      assertTrue(limiter.tryAcquire(Cost.ONE, Duration.ofSeconds(10)).isPresent());
    }
  }

  @Test
  void aTaskMayTakeMorePermitsOfTheSameLimiter() throws Exception {
    Limiter limiter = Limiter.of("10/50ms");
    ExecutorService pool = Executors.newSingleThreadExecutor();
    ThrottledExecutorService paced = ThrottledExecutorService.of(limiter, pool);
    var futures = new ArrayList<Future<?>>();
    for (int i = 0; i < 20; i++) {
      futures.add(
          paced.submit(
              () -> {
                limiter.acquire().answered();
                return "done";
              }));
    }
    for (Future<?> future : futures) {
      assertEquals("done", future.get(20, TimeUnit.SECONDS));
    }
    assertEquals(0, limiter.snapshot().waiting());
    pool.shutdown();
  }
}
