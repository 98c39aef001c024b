package dev.pacegate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Cost;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many futures leave the queue together. */
@Timeout(60)
class CancelAllTest {

  private static final int MANY = 2_000; // several visits

  private final ManualTime time = ManualTime.manual();

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  private static List<CompletableFuture<Permit>> queue(Limiter limiter, int many) {
    var places = new ArrayList<CompletableFuture<Permit>>();
    for (int i = 0; i < many; i++) {
      places.add(limiter.acquireAsync());
    }
    return places;
  }

  private static void assertIdle(Limiter limiter) {
    assertEquals(0, limiter.snapshot().waiting());
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  void allLeaveTheQueueAndNothingIsCharged() {
    Limiter limiter = limiter("1/1s");
    List<CompletableFuture<Permit>> places = queue(limiter, MANY + 1);
    limiter.cancelAll(places);
    assertIdle(limiter);
    assertEquals(1, limiter.snapshot().granted());
    assertEquals(MANY, limiter.snapshot().cancelled());
    assertTrue(places.remove(0).join() != null);
    for (CompletableFuture<Permit> place : places) {
      assertTrue(place.isCancelled());
      assertThrows(CancellationException.class, place::join);
    }
    time.advance(Duration.ofSeconds(1));
    assertTrue(limiter.tryAcquire().isPresent());
  }

  /** The first is too large for what is there; without it, the others could go. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void noneGoesBecauseThoseBeforeItHaveLeft(boolean shuffled) {
    Limiter limiter = limiter("10000/1s");
    assertTrue(limiter.tryAcquire(5_000).isPresent());
    var places = new ArrayList<CompletableFuture<Permit>>();
    places.add(limiter.acquireAsync(Cost.of(5_001)));
    places.addAll(queue(limiter, MANY));
    if (shuffled) {
      Collections.shuffle(places, new Random(1));
    }
    limiter.cancelAll(places);
    assertTrue(places.stream().allMatch(CompletableFuture::isCancelled));
    assertEquals(1, limiter.snapshot().granted());
    assertIdle(limiter);
  }

  @Test
  void thoseThatStayKeepTheirOrder() {
    Limiter limiter = limiter("concurrent(1)");
    Permit held = limiter.tryAcquire().orElseThrow();
    List<CompletableFuture<Permit>> places = queue(limiter, 6);
    limiter.cancelAll(List.of(places.get(0), places.get(2), places.get(5)));
    held.answered();
    places.get(1).join().answered();
    places.get(3).join().answered();
    places.get(4).join().answered();
    assertIdle(limiter);
  }

  /** Dependents and listeners are user code: here they enter the gate themselves. */
  @Test
  void callbacksRunOutsideTheGate() {
    var left = new ArrayList<Integer>();
    var self = new ArrayList<Limiter>();
    var listener =
        new LimiterListener() {
          @Override
          public void onLeave(Cost cost, long waitedNanos) {
            left.add(self.get(0).snapshot().waiting());
          }
        };
    Limiter limiter =
        Limiter.builder("1/1s").time(time).executor(Runnable::run).listener(listener).build();
    self.add(limiter);
    List<CompletableFuture<Permit>> places = queue(limiter, 4);
    var seen = new ArrayList<Integer>();
    for (CompletableFuture<Permit> place : places) {
      var unused = place.whenComplete((permit, why) -> note(seen, permit, limiter));
    }
    limiter.cancelAll(places);
    assertEquals(List.of(0, 0, 0), left);
    assertEquals(List.of(0, 0, 0), seen);
  }

  private static void note(List<Integer> seen, @Nullable Permit permit, Limiter limiter) {
    if (permit == null) {
      seen.add(limiter.snapshot().waiting());
    }
  }

  @Test
  void futuresOfKeysLanesAndOthers() {
    Limiter limiter = limiter("1/1s");
    limiter.tryAcquire();
    KeyedLimiter<String> keys = KeyedLimiter.builder("1/1s").within(limiter).build();
    Limiter other = limiter("1/1s");
    other.tryAcquire();
    var plain = new CompletableFuture<Permit>();
    var done = CompletableFuture.<Permit>completedFuture(null);
    List<CompletableFuture<Permit>> places =
        List.of(keys.acquireAsync("a"), other.acquireAsync(), plain, done, limiter.acquireAsync());
    limiter.cancelAll(places);
    assertIdle(limiter);
    assertIdle(other);
    assertTrue(plain.isCancelled());
    assertFalse(done.isCancelled());
    limiter.cancelAll(places); // has no effect any more
    assertEquals(2, limiter.snapshot().cancelled());
  }

  /** Users, and the JDK, add suppressed exceptions to the one that a future fails with. */
  @Test
  void eachFailsWithItsOwnException() {
    Limiter limiter = limiter("1/1s");
    limiter.tryAcquire();
    List<CompletableFuture<Permit>> places = queue(limiter, 2);
    limiter.cancelAll(places);
    var first = assertThrows(CancellationException.class, places.get(0)::join);
    var second = assertThrows(CancellationException.class, places.get(1)::join);
    first.addSuppressed(second);
    assertEquals(0, second.getSuppressed().length);
    String trace = Arrays.toString(root(second).getStackTrace());
    assertTrue(trace.contains("eachFailsWithItsOwnException"), trace);
  }

  private static Throwable root(Throwable failure) {
    Throwable cause = failure.getCause();
    return cause == null ? failure : root(cause);
  }

  /** On executors of their own: called, late, and waiting. The threads come after all have left. */
  @Test
  void noneRunsWhoseThreadComesAfterwards() {
    Limiter limiter = limiter("2/1s");
    var busy = new ArrayList<Runnable>();
    var ran = new ArrayList<Permit>();
    List<CompletableFuture<Permit>> places = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      places.add(limiter.acquireAsync(Cost.ONE, busy::add, ran::add));
      if (i == 1) {
        time.advance(Duration.ofMillis(1)); // the first two are late now
      }
    }
    assertEquals(4, busy.size());
    limiter.cancelAll(places);
    busy.forEach(Runnable::run);
    assertEquals(List.of(), ran);
    assertTrue(places.stream().allMatch(CompletableFuture::isCancelled));
    assertEquals(5, limiter.snapshot().cancelled());
    assertIdle(limiter);
    assertEquals(0, time.pending());
    assertTrue(limiter.tryAcquire(2).isPresent());
  }

  @Test
  void theirTimeOutsAreOver() {
    Limiter limiter = limiter("1/1s");
    limiter.tryAcquire();
    List<CompletableFuture<Permit>> places = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      places.add(limiter.acquireAsync(Duration.ofHours(1)));
    }
    limiter.cancelAll(places);
    assertEquals(0, time.pending());
    time.advance(Duration.ofHours(1));
    assertTrue(places.stream().allMatch(CompletableFuture::isCancelled));
    assertEquals(200, limiter.snapshot().cancelled());
    assertIdle(limiter);
  }

  @Test
  void aNullLeavesThoseOfTheLimiterAlone() {
    Limiter limiter = limiter("1/1s");
    limiter.tryAcquire();
    var places = new ArrayList<CompletableFuture<Permit>>(queue(limiter, 2));
    places.add(null);
    assertThrows(NullPointerException.class, () -> limiter.cancelAll(places));
    assertEquals(2, limiter.snapshot().waiting());
  }

  /** By a dependent of another, which may take as long as it likes. */
  @Test
  void thoseThatHaveLeftMayBeCancelledOnceMore() {
    Limiter limiter = limiter("1/1s");
    limiter.tryAcquire();
    List<CompletableFuture<Permit>> places = queue(limiter, 3);
    var said = new ArrayList<Boolean>();
    var unused =
        places
            .get(2)
            .whenComplete(
                (permit, why) -> {
                  assertFalse(places.get(0).isDone());
                  said.add(places.get(0).cancel(false));
                  limiter.cancelAll(places);
                  said.add(places.get(1).isCancelled());
                });
    limiter.cancelAll(places);
    assertEquals(List.of(true, true), said);
    assertEquals(3, limiter.snapshot().cancelled());
    assertIdle(limiter);
  }

  /** At the end of each visit, when the next one's wait is asked for. */
  @Test
  void anErrorBetweenKeepsNoneInTheQueue() {
    var limit = new FailingLimit();
    Limiter limiter = Limiter.builder(limit).time(time).executor(Runnable::run).build();
    List<CompletableFuture<Permit>> places = queue(limiter, MANY);
    limit.fails().set(true);
    assertThrows(InternalError.class, () -> limiter.cancelAll(places));
    assertTrue(places.stream().allMatch(CompletableFuture::isCancelled));
    assertIdle(limiter);
  }

  /** When the key of the one in the middle is to rest: its future has left, but is not counted. */
  @Test
  void anErrorInTheMiddleHarmsNoOther() {
    Limiter limiter = limiter("1/1s");
    limiter.tryAcquire();
    var limit = new FailingLimit();
    KeyedLimiter<String> keys = KeyedLimiter.builder(limit).within(limiter).build();
    List<CompletableFuture<Permit>> places =
        List.of(limiter.acquireAsync(), keys.acquireAsync("a"), limiter.acquireAsync());
    limit.fails().set(true);
    assertThrows(InternalError.class, () -> limiter.cancelAll(places));
    assertTrue(places.stream().allMatch(CompletableFuture::isCancelled));
    assertIdle(limiter);
  }

  /** Permits come, threads wait, and some cancel alone meanwhile. */
  @Test
  void eachFutureHasOneFateWhateverComesBetween() throws Exception {
    for (int round = 0; round < 50; round++) {
      Limiter limiter = Limiter.of("concurrent(2)");
      Permit held = limiter.acquire();
      limiter.acquire().answered();
      Permit second = limiter.acquire();
      List<CompletableFuture<Permit>> places = queue(limiter, 1_500);
      var granted = new ConcurrentLinkedQueue<Permit>();
      List<CompletableFuture<Void>> taken =
          places.stream().map(place -> place.thenAccept(permit -> take(granted, permit))).toList();
      var go = new CountDownLatch(1);
      var threads = new ArrayList<Thread>();
      threads.add(begin(go, () -> end(held, second)));
      threads.add(begin(go, () -> limiter.cancelAll(places.subList(500, 1_500))));
      threads.add(begin(go, () -> limiter.cancelAll(places)));
      threads.add(begin(go, () -> places.subList(700, 800).forEach(place -> place.cancel(true))));
      go.countDown();
      for (Thread thread : threads) {
        thread.join();
      }
      taken.forEach(end -> end.handle((none, why) -> true).join());
      long cancelled = places.stream().filter(CompletableFuture::isCancelled).count();
      assertEquals(cancelled, limiter.snapshot().cancelled());
      assertEquals(places.size() - cancelled + 3, limiter.snapshot().granted());
      assertEquals(places.size() - cancelled, granted.size());
      limiter.acquire().answered(); // behind those that are still being taken
      assertEquals(0, limiter.snapshot().waiting());
    }
  }

  private static void take(ConcurrentLinkedQueue<Permit> granted, Permit permit) {
    granted.add(permit);
    permit.answered();
  }

  private static void end(Permit one, Permit other) {
    one.answered();
    other.answered();
  }

  private static Thread begin(CountDownLatch go, Runnable work) {
    var thread =
        new Thread(
            () -> {
              try {
                go.await();
                work.run();
              } catch (InterruptedException end) {
                throw new IllegalStateException(end);
              }
            });
    thread.start();
    return thread;
  }
}
