package dev.pacegate.permit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A permit that the program dropped without an end counts as lost; one that it holds never does.
 */
class DroppedPermitTest {

  private static final Duration AGE = Duration.ofSeconds(10);
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final int PATIENCE = 200;

  private final ManualTime time = ManualTime.manual();
  private final Heard heard = new Heard();

  @AfterEach
  void close() {
    heard.close();
  }

  private Limiter limiter(String limit) {
    return Limiter.builder(limit)
        .name("sms")
        .time(time)
        .executor(Runnable::run)
        .listener(heard)
        .build();
  }

  private static void drop(Limiter limiter) {
    assertTrue(limiter.tryAcquire().isPresent());
  }

  /** Collects garbage until {@code reached}; the bound is for a failure only. */
  private static boolean collectUntil(BooleanSupplier reached) throws InterruptedException {
    for (int i = 0; i < PATIENCE; i++) {
      if (reached.getAsBoolean()) {
        return true;
      }
      System.gc();
      Thread.sleep(10); // the collector works on threads of its own
    }
    return reached.getAsBoolean();
  }

  @Test
  @Tag("slow")
  void triesAloneNotice() throws Exception {
    Limiter limiter = limiter("concurrent(1)");
    drop(limiter);
    assertFalse(collectUntil(() -> limiter.tryAcquire().isPresent() || heard.overdue.size() > 0));
    time.advance(AGE);
    assertTrue(collectUntil(() -> limiter.tryAcquire().isPresent()));
    assertEquals(1, heard.abandoned.size());
    assertEquals(1, heard.lines("the program dropped 1 permit without ending it").size());
  }

  @Test
  void ofSeveralLimitsTheShortestUnansweredTells() throws Exception {
    Limiter limiter = limiter("peer(1/1s, unanswered=2s) & peer(100/1h, unanswered=1m)");
    drop(limiter);
    time.advance(Duration.ofSeconds(2));
    assertTrue(collectUntil(() -> limiter.snapshot().open() == 0));
  }

  @Test
  void aRequestThatWaitsGoesOn() throws Exception {
    Limiter limiter = limiter("concurrent(1)");
    drop(limiter);
    CompletableFuture<Permit> waiting = limiter.acquireAsync();
    time.advance(AGE);
    assertTrue(
        collectUntil(
            () -> {
              time.advance(SECOND);
              return waiting.isDone();
            }));
    assertEquals(1, heard.abandoned.size());
    assertEquals(1, limiter.snapshot().open());
  }

  @Test
  void aThreadThatWaitsGoesOn() throws Exception {
    Limiter limiter = Limiter.of("concurrent(1, unanswered=50ms)"); // in real time
    drop(limiter);
    var passed = new AtomicBoolean();
    var waiting =
        new Thread(
            () -> {
              try (Permit permit = limiter.acquire()) {
                passed.set(true);
                permit.answered();
              } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
              }
            });
    waiting.setDaemon(true);
    waiting.start();
    assertTrue(collectUntil(() -> passed.get() || !waiting.isAlive() || pause()));
    waiting.join(10_000);
    assertTrue(passed.get());
  }

  private static boolean pause() {
    try {
      Thread.sleep(20); // real threads have yet to look
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
    return false;
  }

  @Test
  void itMayBeCountedAsAnyOtherThatIsLost() throws Exception {
    Limiter limiter = limiter("peer(1/1m, margin=0s, unanswered=30s)");
    drop(limiter);
    time.advance(Duration.ofSeconds(30));
    assertTrue(
        collectUntil(() -> limiter.tryAcquire().isEmpty() && limiter.snapshot().open() == 0));
    assertEquals(Duration.ofMinutes(1), limiter.estimateWait(1));
  }

  @Test
  void thatOfAKeyIsNoticed() throws Exception {
    KeyedLimiter<String> keyed =
        KeyedLimiter.builder("concurrent(1)").within(limiter("9/1s")).build();
    assertTrue(keyed.tryAcquire("a").isPresent());
    time.advance(AGE);
    assertTrue(collectUntil(() -> keyed.tryAcquire("a").isPresent()));
    assertEquals(1, heard.abandoned.size());
  }

  @Test
  void onePermitThatIsHeldStaysOpenHoweverLong() throws Exception {
    Limiter limiter = limiter("concurrent(1)");
    Permit held = limiter.tryAcquire().orElseThrow();
    CompletableFuture<Permit> waiting = limiter.acquireAsync();
    for (int i = 0; i < 20; i++) {
      time.advance(AGE);
      System.gc();
    }
    assertFalse(waiting.isDone());
    assertEquals(2 * 100 * SECOND.toNanos(), limiter.snapshot().oldestOpen().toNanos());
    held.answered();
    assertTrue(waiting.isDone());
    held.answered();
    held.lost();
    assertEquals(1, limiter.snapshot().open());
    assertEquals(0, heard.abandoned.size());
  }

  @Test
  void oneThatIsOldIsSettledAndEndedAsEver() {
    Limiter limiter = limiter("peer(10/1m, margin=0s)");
    Permit old = limiter.tryAcquire(10).orElseThrow();
    time.advance(AGE);
    assertTrue(limiter.tryAcquire().isEmpty(), "which makes it an old one");
    old.settle(4);
    assertTrue(limiter.tryAcquire(6).isPresent());
    old.close();
    assertEquals(Duration.ofMinutes(1), limiter.estimateWait(4));
    assertEquals(1, limiter.snapshot().open());
  }

  @Test
  void oneThatIsOldMovesAlongWhenTheLimitChanges() {
    Limiter limiter = limiter("concurrent(1)");
    Permit old = limiter.tryAcquire().orElseThrow();
    time.advance(AGE);
    assertTrue(limiter.tryAcquire().isEmpty(), "which makes it an old one");
    limiter.setLimit("concurrent(1) & 10/1s");
    assertTrue(limiter.tryAcquire().isEmpty());
    old.answered();
    assertTrue(limiter.tryAcquire().isPresent());
  }

  @Test
  void oneThatIsOldMayBeGivenUpByTheLimit() {
    Limiter limiter = limiter("peer(1/1s, margin=0s, abandon=10m)");
    Permit old = limiter.tryAcquire().orElseThrow();
    CompletableFuture<Permit> waiting = limiter.acquireAsync();
    time.advance(Duration.ofMinutes(10));
    assertEquals(1, heard.abandoned.size());
    time.advance(SECOND);
    assertTrue(waiting.isDone());
    old.answered();
    assertEquals(1, limiter.snapshot().open());
  }

  @Test
  void nothingIsLookedAtWhileNoCallerWaits() {
    Limiter limiter = limiter("concurrent(2)");
    Permit held = limiter.tryAcquire().orElseThrow();
    time.advance(Duration.ofHours(1));
    assertEquals(0, time.pending());
    held.answered();
  }

  /** Threads end permits, and drop others, while these are looked at and collected. */
  @ParameterizedTest
  @Tag("slow")
  @ValueSource(strings = {"concurrent(64, unanswered=1ms)", "peer(64/1ms, unanswered=1ms)"})
  void permitsAreEndedAndCollectedAtTheSameTime(String limit) throws Exception {
    Limiter limiter = Limiter.of(limit);
    var failure = new AtomicReference<Throwable>();
    long until = System.nanoTime() + Duration.ofSeconds(3).toNanos();
    var threads = new ArrayList<Thread>();
    for (int i = 0; i < 4; i++) {
      var thread = new Thread(() -> use(limiter, until));
      thread.setUncaughtExceptionHandler((t, e) -> failure.set(e));
      threads.add(thread);
      thread.start();
    }
    while (System.nanoTime() < until) {
      System.gc();
      Thread.sleep(5); // so that the others get on between two collections
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(null, failure.get());
    assertTrue(collectUntil(() -> limiter.snapshot().open() == 0), "all have ended");
    Thread.sleep(20); // the queue of what was collected is filled a little later
    var all = new ArrayList<Permit>();
    for (int i = 0; i < 64; i++) {
      limiter.tryAcquire().ifPresent(all::add);
    }
    assertEquals(64, all.size());
    assertTrue(limiter.tryAcquire().isEmpty());
    all.forEach(Permit::answered);
  }

  private static void use(Limiter limiter, long until) {
    var random = ThreadLocalRandom.current();
    var held = new ArrayList<Permit>();
    while (System.nanoTime() < until) {
      limiter.tryAcquire().ifPresent(held::add);
      if (held.size() > 8) {
        Permit permit = held.remove(random.nextInt(held.size()));
        if (random.nextInt(10) > 0) {
          permit.answered(); // the others are dropped
        }
      }
      if (random.nextInt(100) == 0) {
        limiter.snapshot();
      }
    }
    held.forEach(Permit::answered);
  }
}
