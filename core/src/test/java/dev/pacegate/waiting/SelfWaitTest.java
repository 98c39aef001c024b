package dev.pacegate.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.Share;
import dev.pacegate.Task;
import dev.pacegate.WaitTooLongException;
import dev.pacegate.dispatch.ThrottledExecutorService;
import dev.pacegate.dispatch.Throttler;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Seeds;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A job that asks for a permit which only its own end makes room for is told so. */
@Timeout(60) // what is not told waits for ever
class SelfWaitTest {

  private static final Duration SHORT = Duration.ofMillis(20);

  /** Ways to wait for a permit without a bound. */
  private static List<Task<InterruptedException>> waits(Limiter limiter) {
    return List.of(
        () -> limiter.acquire(),
        () -> limiter.acquire(1),
        () -> limiter.acquire(Cost.of("mb", 4)),
        limiter::acquireUninterruptibly,
        () -> limiter.run(() -> {}),
        () -> limiter.call(() -> "answer"),
        () -> limiter.call(Cost.of("mb", 1), () -> "answer"),
        limiter.decorateRunnable(() -> {})::run);
  }

  private static String told(Task<InterruptedException> wait) {
    return String.valueOf(assertThrows(IllegalStateException.class, wait::perform).getMessage());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "concurrent(1)",
        "concurrent(1, unanswered=1s)",
        "peer(1/1m)",
        "peer(spacing(1ms))",
        "peer(bucket(1/1ms))",
        "aligned(1/1s)",
        "aligned(1/1d)",
        "10/1ms & concurrent(1)",
        "peer(1/1m) & peer(9/1h, counted=1ms)",
      })
  void aJobThatAsksAgainIsTold(String limit) throws Exception {
    Limiter limiter = Limiter.builder(limit).name("api").build();
    String message = limiter.call(() -> told(limiter::acquire));
    assertTrue(message.startsWith("limiter api: this thread would wait for itself"), message);
    assertTrue(message.contains(Limits.parse(limit).toString()), message);
    assertEquals(0, limiter.snapshot().waiting());
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  void everyVerbThatWaitsWithoutABoundTells() throws Exception {
    Limiter limiter = Limiter.of("concurrent(1) & concurrent(4) of mb");
    for (Task<InterruptedException> wait : waits(limiter)) {
      limiter.run(() -> assertFalse(told(wait).isEmpty()));
    }
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  void everyKindOfJobIsKnown() throws Exception {
    Limiter limiter = Limiter.of("peer(1/1ns)");
    var told = new ArrayList<String>();
    Runnable asks = () -> told.add(told(limiter::acquire));
    limiter.run(asks::run);
    limiter.call(Duration.ofMinutes(1), () -> told.add(told(limiter::acquire)));
    limiter.decorateRunnable(asks).run();
    limiter
        .callAsync(
            () -> {
              asks.run();
              return CompletableFuture.completedFuture("");
            })
        .join();
    ThrottledExecutorService.of(limiter, Runnable::run).submit(asks).get();
    assertEquals(5, told.size());
  }

  @Test
  void aTargetOfAThrottlerIsKnown() throws Exception {
    Limiter limiter = Limiter.of("concurrent(1)");
    var told = new ArrayList<String>();
    Throttler<String> throttler =
        Throttler.<String>builder(limiter).executor(Runnable::run).build();
    throttler.target(message -> told.add(told(limiter::acquire)));
    throttler.send("one");
    throttler.targetAsync(
        message -> {
          told.add(told(limiter::acquire));
          return CompletableFuture.completedFuture("");
        });
    throttler.send("another");
    assertTrue(throttler.drain(Duration.ofMinutes(1)));
    assertEquals(2, told.size());
  }

  @Test
  void jobsWithinJobsAreKnown() throws Exception {
    Limiter outer = Limiter.of("concurrent(1)");
    Limiter inner = Limiter.of("concurrent(1)");
    outer.run(() -> inner.run(() -> assertFalse(told(outer::acquire).isEmpty())));
    Limiter three = Limiter.of("concurrent(3)");
    three.run(() -> three.run(() -> three.run(() -> told(three::acquire))));
    outer.run(() -> inner.run(() -> {}));
    assertEquals(0, three.snapshot().open());
  }

  /** A job outlives its permit, and runs another: the one around both is known all the same. */
  @Test
  void aPermitThatEndedDuringItsJobHidesNoOther() throws Exception {
    Limiter outermost = Limiter.of("concurrent(1)");
    Limiter inner = Limiter.of("concurrent(1)");
    var time = ManualTime.manual();
    Limiter abandoning = Limiter.builder("concurrent(1, abandon=1s)").time(time).build();
    outermost.run(
        () -> {
          abandoning.run(
              () -> {
                time.advance(Duration.ofSeconds(1));
                abandoning.tryAcquire().orElseThrow().answered();
                inner.run(() -> {});
              });
          assertFalse(told(outermost::acquire).isEmpty());
        });
    assertEquals(0, outermost.snapshot().open());
  }

  @Test
  void ofKeysOnlyTheSameOneIsToldUnlessAllKeysAreFull() throws Exception {
    KeyedLimiter<String> keyed =
        KeyedLimiter.builder("concurrent(1)").within("concurrent(2)").build();
    keyed.run("a", () -> assertTrue(told(() -> keyed.acquire("a")).contains("for the key")));
    keyed.run("a", () -> keyed.run("b", () -> told(() -> keyed.acquire("c"))));
    assertEquals(0, keyed.all().snapshot().open());
  }

  @Test
  void aLaneThatCanDrawFromTheRestIsNotTold() throws Exception {
    Limiter limiter =
        Limiter.builder("concurrent(2)").lane("vip", Share.weight(1).reserving(50)).build();
    Limiter vip = limiter.lane("vip");
    limiter.run(() -> assertFalse(told(limiter::acquire).isEmpty()));
    limiter.run(() -> vip.run(() -> assertFalse(told(vip::acquire).isEmpty())));
    vip.run(() -> vip.run(() -> {}));
  }

  /** The costs of a thread's own jobs alone decide. */
  @Test
  void itIsToldIfTheThreadsOwnJobsLeaveTooLittleAndOnlyThen() {
    Seeds.forEach(
        200,
        random -> {
          int max = random.nextInt(1, 30);
          String kind = random.nextBoolean() ? "concurrent(%d) of mb" : "peer(%d/1h of mb)";
          Limiter limiter = Limiter.of(kind.formatted(max));
          nest(limiter, max, () -> random.nextInt(1, 1 + Math.max(1, max / 2)));
          assertEquals(0, limiter.snapshot().open());
        });
  }

  private static void nest(Limiter limiter, int left, IntSupplier costs) {
    int cost = costs.getAsInt();
    if (cost > left) {
      told(() -> limiter.acquire(Cost.of("mb", cost)));
      return;
    }
    try {
      limiter.run(Cost.of("mb", cost), () -> nest(limiter, left - cost, costs));
    } catch (InterruptedException impossible) {
      throw new AssertionError(impossible);
    }
  }

  // ---- not told, as the wait ends

  @ParameterizedTest
  @ValueSource(strings = {"concurrent(1, abandon=1s)", "peer(1/1s, counted=1s)", "1/1s"})
  void aWaitThatEndsWithTimeIsNotTold(String limit) throws Exception {
    Limiter limiter = Limiter.builder(limit).time(ManualTime.selfAdvancing()).build();
    assertEquals("answer", limiter.call(() -> limiter.call(() -> "answer")));
  }

  @Test
  void aBoundedWaitIsNotTold() throws Exception {
    Limiter limiter = Limiter.of("concurrent(1)");
    limiter.run(
        () -> {
          assertThrows(WaitTooLongException.class, () -> limiter.call(SHORT, () -> "answer"));
          assertTrue(limiter.tryAcquire(SHORT).isEmpty());
          assertTrue(limiter.tryAcquire().isEmpty());
          assertFalse(limiter.acquireAsync().isDone());
        });
  }

  @Test
  void aPermitTakenByHandIsNotKnown() throws Exception {
    Limiter limiter = Limiter.of("concurrent(1)");
    Permit byHand = limiter.acquire();
    Future<?> other = inThread(() -> endWhileOneWaits(limiter, byHand));
    limiter.run(() -> {});
    other.get();
  }

  @Test
  void aStageThatAJobReturnedIsEndedByOthers() throws Exception {
    Limiter limiter = Limiter.of("concurrent(1)");
    var stage = new CompletableFuture<String>();
    assertEquals(stage, limiter.call(() -> stage));
    Future<?> other =
        inThread(
            () -> {
              awaitOneWaiter(limiter);
              stage.complete("answer");
            });
    limiter.run(() -> {});
    other.get();
  }

  @Test
  void thePermitOfAnotherThreadIsWaitedFor() throws Exception {
    Limiter limiter = Limiter.of("concurrent(2)");
    Permit others = inThread((Callable<Permit>) limiter::acquire).get();
    Future<?> other = inThread(() -> endWhileOneWaits(limiter, others));
    limiter.run(() -> limiter.run(() -> {}));
    other.get();
  }

  @Test
  void thePermitOfAnotherKeyIsNoObstacle() throws Exception {
    KeyedLimiter<String> keyed = KeyedLimiter.of("concurrent(1)");
    Permit others = keyed.acquire("b");
    Future<?> other = inThread(() -> endWhileOneWaits(keyed.all(), others));
    keyed.run("a", () -> keyed.run("b", () -> {}));
    other.get();
  }

  @Test
  void aDryRunLetsEveryRequestThrough() throws Exception {
    Limiter limiter = Limiter.of("concurrent(1)");
    limiter.dryRun(true);
    limiter.run(() -> limiter.run(() -> {}));
  }

  @Test
  void aLimitThatIsLoweredMeanwhileIsTold() throws Exception {
    Limiter limiter = Limiter.of("concurrent(2)");
    Permit others = limiter.acquire();
    var told = new CompletableFuture<String>();
    Future<?> waiting = inThread(() -> limiter.run(() -> told.complete(told(limiter::acquire))));
    awaitOneWaiter(limiter);
    limiter.setLimit("concurrent(1)");
    waiting.get(50, TimeUnit.SECONDS);
    assertTrue(told.join().contains("concurrent(1)"), told.join());
    others.answered();
  }

  private static void endWhileOneWaits(Limiter limiter, Permit permit) {
    awaitOneWaiter(limiter);
    permit.answered();
  }

  private static void awaitOneWaiter(Limiter limiter) {
    while (limiter.snapshot().waiting() == 0) {
      Thread.onSpinWait();
    }
  }

  private static <T> Future<T> inThread(Callable<T> work) {
    var done = new CompletableFuture<T>();
    new Thread(
            () -> {
              try {
                done.complete(work.call());
              } catch (Throwable failure) {
                done.completeExceptionally(failure);
              }
            })
        .start();
    return done;
  }

  private static Future<?> inThread(Task<Exception> work) {
    return inThread(
        () -> {
          work.perform();
          return "";
        });
  }
}
