package dev.pacegate.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.WaitTooLongException;
import dev.pacegate.engine.PlainPermit;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The completion of futures: by one thread at a time, on the limiter's executor. */
class FutureCompletionTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualTime time = ManualTime.manual();

  @Test
  void aLongChainOfCallbacksNeedsNoStack() {
    chain(Runnable::run, 200_000);
  }

  @Test
  void aLongChainOfCallbacksNeedsNoStackOnAPool() {
    chain(ForkJoinPool.commonPool(), 200_000);
  }

  /** Each closes its permit inside its own callback, which lets the next one go. */
  private static void chain(Executor executor, int length) {
    Limiter limiter = Limiter.builder("concurrent(1)").executor(executor).build();
    Permit held = Crew.spend(limiter);
    var passed = new AtomicInteger();
    var links = new ArrayList<CompletableFuture<Void>>();
    for (int i = 0; i < length; i++) {
      int number = i;
      links.add(
          limiter
              .acquireAsync()
              .thenAccept(
                  permit -> {
                    assertTrue(passed.compareAndSet(number, number + 1));
                    permit.answered();
                  }));
    }
    var smallStack = new Thread(null, held::answered, "small stack", 256 * 1024);
    smallStack.setDaemon(true);
    smallStack.start();
    Crew.join(smallStack);
    Crew.await("the end of the chain", () -> limiter.snapshot().waiting() == 0);
    links.forEach(CompletableFuture::join);
    assertEquals(length, passed.get());
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  void aCallbackThatThrowsStopsNoWaiter() {
    Limiter limiter = Limiter.builder("1/1s").time(time).executor(Runnable::run).build();
    Crew.spend(limiter);
    CompletableFuture<Permit> first = limiter.acquireAsync();
    CompletableFuture<Permit> second = limiter.acquireAsync(1);
    CompletableFuture<Void> thrown =
        first.thenAccept(
            permit -> {
              throw new AssertionError("thrown by a callback");
            });
    time.advance(SECOND);
    time.advance(SECOND);
    assertTrue(thrown.isCompletedExceptionally());
    assertEquals(2 * SECOND.toNanos(), second.join().releasedAt());
  }

  // ---- waiting for oneself

  @Test
  void aCallbackThatWouldWaitForItselfFailsAtOnce() {
    Limiter limiter = Limiter.builder("concurrent(1)").time(time).executor(Runnable::run).build();
    Permit held = Crew.spend(limiter);
    CompletableFuture<Permit> nested = limiter.acquireAsync().thenApply(permit -> wait(limiter));
    held.answered();
    var failure = assertThrows(CompletionException.class, nested::join);
    assertInstanceOf(IllegalStateException.class, failure.getCause());
    assertEquals(0, limiter.snapshot().waiting());
  }

  private static Permit wait(Limiter limiter) {
    try {
      return limiter.acquire();
    } catch (InterruptedException unexpected) {
      throw new AssertionError(unexpected);
    }
  }

  /** A caller that is told no, or yes, at once does not wait, whatever else goes on in the gate. */
  @Test
  void aCallbackThatNeedNotWaitMayAsk() {
    Limiter limiter = Limiter.builder("3/1s").time(time).executor(Runnable::run).build();
    limiter.pause();
    var answers = new ArrayList<Optional<Permit>>();
    CompletableFuture<Void> asked =
        limiter
            .acquireAsync()
            .thenAccept(
                permit -> {
                  limiter.pauseFor(SECOND); // the next one needs the slow way
                  answers.add(ask(limiter, Duration.ZERO));
                  answers.add(ask(limiter, SECOND.minusNanos(1)));
                  limiter.dryRun(true); // goes at once, on the slow way
                  answers.add(ask(limiter, Duration.ZERO));
                  wait(limiter).answered();
                });
    limiter.resume();
    asked.join();
    assertTrue(answers.get(0).isEmpty());
    assertTrue(answers.get(1).isEmpty());
    assertTrue(answers.get(2).isPresent());
  }

  private static Optional<Permit> ask(Limiter limiter, Duration maxWait) {
    try {
      return limiter.tryAcquire(1, maxWait);
    } catch (InterruptedException unexpected) {
      throw new AssertionError(unexpected);
    }
  }

  // ---- on whose thread

  @Test
  void callbacksDoNotRunOnTheThreadOfTheTimer() {
    Limiter limiter = Limiter.builder("1/1s").time(time).build();
    Crew.spend(limiter);
    assertNotEquals(Thread.currentThread(), threadOfCallback(limiter));
  }

  @Test
  void noWaiterIsForgottenWhenTheExecutorRefuses() {
    Executor refuses =
        task -> {
          throw new RejectedExecutionException("shut down");
        };
    Limiter limiter = Limiter.builder("1/1s").time(time).executor(refuses).build();
    Crew.spend(limiter);
    assertNotEquals(Thread.currentThread(), threadOfCallback(limiter));
    assertNotEquals(Thread.currentThread(), threadOfCallback(limiter));
  }

  /** An executor may fail in any way: once is once, not for ever. */
  @Test
  void noWaiterIsForgottenWhenTheExecutorFails() {
    var failures = new AtomicInteger(2);
    Executor fails =
        task -> {
          if (failures.getAndDecrement() > 0) {
            throw new OutOfMemoryError("no thread; thrown by a test");
          }
          ForkJoinPool.commonPool().execute(task);
        };
    Limiter limiter = Limiter.builder("1/1s").time(time).executor(fails).build();
    Crew.spend(limiter);
    for (int i = 0; i < 4; i++) {
      assertNotEquals(Thread.currentThread(), threadOfCallback(limiter));
    }
  }

  private Thread threadOfCallback(Limiter limiter) {
    CompletableFuture<Thread> thread =
        limiter.acquireAsync().thenApply(permit -> Thread.currentThread());
    time.advance(SECOND);
    try {
      return thread.get(Crew.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (Exception stuck) {
      throw new AssertionError(stuck);
    }
  }

  // ---- a thread that comes late

  /** Called in time, but its thread comes late and finds a pause: it must not wait on. */
  @Test
  void whoseTimeRanOutWhileItWasCalledFails() {
    var tasks = new ArrayDeque<Runnable>();
    Limiter limiter = Limiter.builder("1/1s").time(time).executor(tasks::add).build();
    Crew.spend(limiter);
    CompletableFuture<Permit> future = limiter.acquireAsync(1, SECOND.plusNanos(1));
    time.advance(SECOND); // called
    assertEquals(1, tasks.size());
    time.advance(SECOND); // out of time
    assertFalse(future.isDone());
    limiter.pause();
    runAll(tasks);
    assertTrue(future.isCompletedExceptionally());
    assertInstanceOf(
        WaitTooLongException.class,
        assertThrows(CompletionException.class, future::join).getCause());
    assertEquals(0, limiter.snapshot().waiting());
  }

  @Test
  void aCalledWaiterOutOfTimeStillGoesIfItIsDue() {
    var tasks = new ArrayDeque<Runnable>();
    Limiter limiter = Limiter.builder("1/1s").time(time).executor(tasks::add).build();
    Crew.spend(limiter);
    CompletableFuture<Permit> future = limiter.acquireAsync(1, SECOND.plusNanos(1));
    time.advance(SECOND);
    time.advance(SECOND);
    runAll(tasks);
    assertEquals(2 * SECOND.toNanos(), future.join().releasedAt());
  }

  @Test
  void aPauseBeforeTheDrainerComesKeepsTheOrder() {
    var tasks = new ArrayDeque<Runnable>();
    var order = new ArrayList<Integer>();
    Limiter limiter = Limiter.builder("2/1s").time(time).executor(tasks::add).build();
    limiter.pause();
    var futures = new ArrayList<CompletableFuture<Void>>();
    for (int i = 0; i < 4; i++) {
      int number = i;
      futures.add(limiter.acquireAsync().thenAccept(permit -> order.add(number)));
    }
    limiter.resume(); // two called
    limiter.pause(); // and not
    limiter.resume(); // and called again
    runAll(tasks);
    assertEquals(2, order.size());
    time.advance(SECOND);
    runAll(tasks);
    futures.forEach(CompletableFuture::join);
    assertEquals(List.of(0, 1, 2, 3), order);
    assertEquals(4, limiter.snapshot().granted());
  }

  private static void runAll(ArrayDeque<Runnable> tasks) {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }

  // ---- from outside

  @Test
  void aLateCancelIsToldSo() {
    var tasks = new ArrayDeque<Runnable>();
    Limiter limiter = Limiter.builder("concurrent(1)").time(time).executor(tasks::add).build();
    Permit held = Crew.spend(limiter);
    CompletableFuture<Permit> future = limiter.acquireAsync();
    CompletableFuture<Boolean> cancelled = future.thenApply(permit -> future.cancel(true));
    held.answered();
    runAll(tasks);
    assertEquals(false, cancelled.join());
    assertFalse(future.isCancelled());
    assertEquals(1, limiter.snapshot().open());
    future.join().answered();
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  void aCalledWaiterThatCancelsGivesItsPlaceToTheNext() {
    var tasks = new ArrayDeque<Runnable>();
    Limiter limiter = Limiter.builder("concurrent(1)").time(time).executor(tasks::add).build();
    Permit held = Crew.spend(limiter);
    CompletableFuture<Permit> first = limiter.acquireAsync();
    CompletableFuture<Permit> second = limiter.acquireAsync();
    held.answered();
    assertTrue(first.cancel(true));
    runAll(tasks);
    second.join().answered();
    assertEquals(0, limiter.snapshot().open());
    assertEquals(2, limiter.snapshot().granted());
  }

  /** {@code obtrudeValue} and {@code completeAsync} do not ask: the permit then is unused. */
  @Test
  void aPermitThatCannotBeHandedOverIsUnused() {
    Limiter limiter = Limiter.builder("concurrent(1)").time(time).executor(Runnable::run).build();
    Permit held = Crew.spend(limiter);
    CompletableFuture<Permit> future = limiter.acquireAsync();
    future.obtrudeValue(PlainPermit.SHARED);
    held.answered();
    assertSame(PlainPermit.SHARED, future.join());
    assertEquals(0, limiter.snapshot().open());
    Crew.spend(limiter).answered();
  }

  @Test
  void aDependentStageHasNoPlaceInLine() {
    Limiter limiter = Limiter.builder("concurrent(1)").time(time).executor(Runnable::run).build();
    Permit held = Crew.spend(limiter);
    CompletableFuture<Permit> future = limiter.acquireAsync();
    assertTrue(future.copy().cancel(true));
    assertEquals(1, limiter.snapshot().waiting());
    held.answered();
    future.join().answered();
  }

  // ---- asynchronous jobs

  @Test
  @SuppressWarnings("NullAway") // null is what is tested
  void aJobWithoutAStageFailsAndEndsItsPermit() {
    Limiter limiter = Limiter.of("concurrent(1)");
    CompletableFuture<String> call = limiter.callAsync(() -> null);
    assertTrue(call.isCompletedExceptionally());
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  @SuppressWarnings("NullAway") // null is what is tested
  void aClassifierWithoutAnAnswerKnowsNothing() {
    Limiter limiter = Limiter.builder("concurrent(1)").classifier(failure -> null).build();
    CompletableFuture<String> call =
        limiter.callAsync(() -> CompletableFuture.failedFuture(new IllegalStateException("job")));
    assertTrue(call.isCompletedExceptionally());
    assertEquals(0, limiter.snapshot().open());
  }
}
