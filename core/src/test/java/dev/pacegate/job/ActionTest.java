package dev.pacegate.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.ManualTime;
import dev.pacegate.waiting.Crew;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Actions that are given beforehand, and run on a thread that takes the permit itself. */
class ActionTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualTime time = ManualTime.manual();
  private final List<String> log = new ArrayList<>();

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  private CompletableFuture<Permit> act(Limiter limiter, Executor executor) {
    return limiter.acquireAsync(
        Cost.ONE,
        executor,
        permit -> {
          log.add("action");
          permit.answered();
        });
  }

  @Test
  void anActionNeverRunsOnTheThreadThatAsks() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      Limiter limiter = Limiter.of("unlimited");
      for (int round = 0; round < 20_000; round++) {
        var ran = new CompletableFuture<Thread>();
        var unused =
            limiter.acquireAsync(Cost.ONE, threads, permit -> ran.complete(Thread.currentThread()));
        assertNotSame(Thread.currentThread(), ran.get(10, TimeUnit.SECONDS), "in round " + round);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void theActionRunsBeforeWhatDependsOnItsFuture() {
    Limiter limiter = limiter("1/1s");
    Crew.spend(limiter);
    CompletableFuture<Permit> place = act(limiter, Runnable::run);
    var unused = place.thenRun(() -> log.add("dependent"));
    time.advance(SECOND);
    assertEquals(List.of("action", "dependent"), log);
    assertEquals(SECOND, place.join().waited());
  }

  @Test
  void anActionWhosePlaceIsGivenUpNeverRuns() {
    var tasks = new ArrayDeque<Runnable>();
    Limiter limiter = limiter("concurrent(1)");
    CompletableFuture<Permit> called = act(limiter, tasks::add);
    CompletableFuture<Permit> next = act(limiter, tasks::add);
    assertEquals(1, tasks.size());
    assertTrue(called.cancel(false));
    tasks.forEach(Runnable::run);
    assertEquals(List.of("action"), log, "that of the next");
    assertTrue(next.isDone());
    assertEquals(0, limiter.snapshot().open());
    assertEquals(1, limiter.snapshot().granted());
  }

  @Test
  void aPlaceCannotBeGivenUpWhileTheActionRuns() {
    Limiter limiter = limiter("concurrent(1)");
    var tasks = new ArrayDeque<Runnable>();
    var cancelled = new ArrayList<Boolean>();
    var place = new ArrayList<CompletableFuture<Permit>>();
    place.add(
        limiter.acquireAsync(
            Cost.ONE,
            tasks::add,
            permit -> {
              cancelled.add(place.get(0).cancel(true));
              permit.answered();
            }));
    tasks.remove().run();
    assertEquals(List.of(false), cancelled);
    assertFalse(place.get(0).isCompletedExceptionally());
  }

  @Test
  void anActionThatThrowsEndsItsPermitAndFailsItsFuture() {
    Limiter limiter = limiter("concurrent(1)");
    var failure = new IllegalStateException("of the action");
    CompletableFuture<Permit> place =
        limiter.acquireAsync(
            Cost.ONE,
            Runnable::run,
            permit -> {
              throw failure;
            });
    assertSame(failure, assertThrows(CompletionException.class, place::join).getCause());
    assertEquals(0, limiter.snapshot().open());
    assertTrue(act(limiter, Runnable::run).isDone());
  }

  @Test
  void aRefusedRequestFailsWithoutTheAction() {
    Limiter limiter = limiter("1/1s");
    CompletableFuture<Permit> never =
        limiter.acquireAsync(Cost.of(2), Runnable::run, permit -> log.add("action"));
    assertInstanceOf(
        CostTooLargeException.class,
        assertThrows(CompletionException.class, never::join).getCause());
    Crew.spend(limiter);
    CompletableFuture<Permit> turnedAway = act(limiter, Runnable::run);
    limiter.close();
    assertInstanceOf(
        LimiterClosedException.class,
        assertThrows(CompletionException.class, turnedAway::join).getCause());
    assertEquals(List.of(), log);
  }

  @Test
  void anActionWhoseExecutorRefusesRunsElsewhere() throws Exception {
    Executor refuses =
        task -> {
          throw new RejectedExecutionException("shut down");
        };
    var ran = new CompletableFuture<Thread>();
    var unused =
        limiter("1/1s")
            .acquireAsync(Cost.ONE, refuses, permit -> ran.complete(Thread.currentThread()));
    assertNotSame(Thread.currentThread(), ran.get(10, TimeUnit.SECONDS));
  }

  /** Completed by a way that does not ask the gate. */
  @Test
  void anActionWhoseFutureIsOverDoesNotRun() {
    Limiter limiter = limiter("concurrent(1)");
    Permit held = Crew.spend(limiter);
    CompletableFuture<Permit> place = act(limiter, Runnable::run);
    place.obtrudeException(new IllegalStateException("by a test"));
    held.answered();
    assertEquals(List.of(), log);
    assertEquals(0, limiter.snapshot().open());
  }
}
