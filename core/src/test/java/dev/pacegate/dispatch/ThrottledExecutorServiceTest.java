package dev.pacegate.dispatch;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class ThrottledExecutorServiceTest {

  private final ManualTime time = ManualTime.manual();
  private final List<String> ran = new ArrayList<>();

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  private static ThrottledExecutorService on(Limiter limiter) {
    return ThrottledExecutorService.of(limiter, Runnable::run);
  }

  @Test
  void startsNoMoreThanTheLimitLetsThroughAndInOrder() {
    ThrottledExecutorService executor = on(limiter("2/1s"));
    for (int i = 0; i < 5; i++) {
      int number = i;
      executor.execute(() -> ran.add(number + " at " + time.nanoTime() / 1_000_000));
    }
    time.advance(Duration.ofSeconds(10));
    assertEquals(List.of("0 at 0", "1 at 0", "2 at 1000", "3 at 1000", "4 at 2000"), ran);
  }

  @Test
  void aTaskTakesItsPermitWhenItStartsHoweverLongItQueuedUnderneath() {
    Queue<Runnable> busy = new ArrayDeque<>();
    Limiter limiter = limiter("1/1s");
    ThrottledExecutorService executor = ThrottledExecutorService.of(limiter, busy::add);
    executor.execute(() -> ran.add("first"));
    time.advance(Duration.ofSeconds(5));
    assertEquals(0, limiter.snapshot().granted());
    busy.remove().run();
    assertEquals(List.of("first"), ran);
    assertEquals(Duration.ofSeconds(1), limiter.estimateWait(1), "counted from the real start");
  }

  @Test
  void thePermitEndsWithTheTask() throws Exception {
    Limiter limiter = limiter("concurrent(1)");
    ThrottledExecutorService executor = on(limiter);
    Future<Integer> open = executor.submit(() -> limiter.snapshot().open());
    assertEquals(1, open.get());
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  @SuppressWarnings("FutureReturnValueIgnored") // the nested one is the test's own
  void thePermitEndsWithTheStageThatTheTaskReturns() throws Exception {
    Limiter limiter = limiter("concurrent(1)");
    ThrottledExecutorService executor = on(limiter);
    var stage = new CompletableFuture<String>();
    Callable<CompletableFuture<String>> task = () -> stage;
    Future<CompletableFuture<String>> future = executor.submit(task);
    assertTrue(future.isDone());
    assertEquals(1, limiter.snapshot().open());
    stage.complete("answer");
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  void aTaskThatThrowsHarmsNoOther() {
    Limiter limiter = limiter("concurrent(1)");
    ThrottledExecutorService executor = on(limiter);
    Future<?> failing =
        executor.submit(
            () -> {
              throw new IllegalStateException("of the task");
            });
    Future<?> next = executor.submit(() -> ran.add("next"));
    assertThrows(ExecutionException.class, failing::get);
    assertTrue(next.isDone());
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  void anExceptionOfATaskGoesToTheHandlerOfItsThread() {
    var uncaught = new ArrayList<Throwable>();
    Thread.UncaughtExceptionHandler before = Thread.currentThread().getUncaughtExceptionHandler();
    Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> uncaught.add(failure));
    try {
      on(limiter("1/1s"))
          .execute(
              () -> {
                throw new IllegalStateException("of the task");
              });
    } finally {
      Thread.currentThread().setUncaughtExceptionHandler(before);
    }
    assertEquals(1, uncaught.size());
  }

  @Test
  void cancellingATaskThatWaitsCostsNothing() {
    Limiter limiter = limiter("1/1s");
    ThrottledExecutorService executor = on(limiter);
    executor.execute(() -> ran.add("first"));
    Future<?> cancelled = executor.submit(() -> ran.add("cancelled"));
    executor.execute(() -> ran.add("third"));
    assertTrue(cancelled.cancel(false));
    assertEquals(1, limiter.snapshot().waiting());
    assertEquals(1, executor.queued());
    time.advance(Duration.ofSeconds(1));
    assertEquals(List.of("first", "third"), ran);
  }

  @Test
  void shuttingDownKeepsWhatWasSubmitted() throws InterruptedException {
    ThrottledExecutorService executor = on(limiter("1/1s"));
    executor.execute(() -> ran.add("first"));
    executor.execute(() -> ran.add("second"));
    executor.shutdown();
    assertThrows(RejectedExecutionException.class, () -> executor.execute(() -> {}));
    assertFalse(executor.isTerminated());
    time.advance(Duration.ofSeconds(1));
    assertTrue(executor.awaitTermination(0, SECONDS));
    assertEquals(List.of("first", "second"), ran);
  }

  @Test
  void shuttingDownNowGivesBackWhatNeverStarted() throws Exception {
    Limiter limiter = limiter("1/1s");
    ThrottledExecutorService executor = on(limiter);
    Runnable second = () -> ran.add("second");
    executor.execute(() -> ran.add("first"));
    executor.execute(second);
    Future<?> third = executor.submit(() -> ran.add("third"));
    List<Runnable> never = executor.shutdownNow();
    assertSame(second, never.get(0));
    assertSame(third, never.get(1));
    assertTrue(executor.isTerminated());
    assertEquals(0, limiter.snapshot().waiting());
    never.get(1).run();
    assertTrue(third.isDone(), "the caller that gets it back may run it");
    assertEquals(List.of("first", "third"), ran);
  }

  @Test
  void shuttingDownNowInterruptsWhatRuns() throws InterruptedException {
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      ThrottledExecutorService executor =
          ThrottledExecutorService.of(Limiter.of("unlimited"), threads);
      var started = new CountDownLatch(1);
      var interrupted = new CountDownLatch(1);
      executor.execute(
          () -> {
            started.countDown();
            try {
              new CountDownLatch(1).await();
            } catch (InterruptedException expected) {
              interrupted.countDown();
            }
          });
      assertTrue(started.await(10, SECONDS));
      executor.shutdownNow();
      assertTrue(interrupted.await(10, SECONDS));
      assertTrue(executor.awaitTermination(10, SECONDS));
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void onlySoManyTasksMayWait() {
    ThrottledExecutorService executor =
        ThrottledExecutorService.of(limiter("1/1s"), Runnable::run, 2);
    executor.execute(() -> {});
    executor.execute(() -> {});
    executor.execute(() -> {});
    assertThrows(RejectedExecutionException.class, () -> executor.execute(() -> {}));
    assertThrows(
        IllegalArgumentException.class,
        () -> ThrottledExecutorService.of(limiter("1/1s"), Runnable::run, 0));
  }

  @Test
  void aClosedLimiterRefusesTasksAndFailsThoseThatWait() {
    Limiter limiter = limiter("1/1s");
    ThrottledExecutorService executor = on(limiter);
    executor.execute(() -> ran.add("first"));
    Future<?> waiting = executor.submit(() -> ran.add("second"));
    limiter.close();
    var failure = assertThrows(ExecutionException.class, waiting::get).getCause();
    assertInstanceOf(LimiterClosedException.class, failure);
    assertThrows(RejectedExecutionException.class, () -> executor.execute(() -> {}));
    assertEquals(0, executor.queued());
  }

  @Test
  void aThousandTasksOnManyThreadsAllRunOnce() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      Limiter limiter = Limiter.of("100/1ms & concurrent(3)");
      Executor underneath = threads;
      ThrottledExecutorService executor = ThrottledExecutorService.of(limiter, underneath);
      var futures = new ArrayList<Future<Integer>>();
      for (int i = 0; i < 1000; i++) {
        int number = i;
        futures.add(executor.submit(() -> number));
      }
      for (int i = 0; i < 1000; i++) {
        assertEquals(i, futures.get(i).get(10, SECONDS));
      }
      executor.shutdown();
      assertTrue(executor.awaitTermination(10, SECONDS));
      assertEquals(1000, limiter.snapshot().granted());
      assertEquals(0, limiter.snapshot().open());
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void noTaskRunsOnTheThreadThatSubmitsIt() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      ThrottledExecutorService executor =
          ThrottledExecutorService.of(Limiter.of("unlimited"), threads);
      Thread submitter = Thread.currentThread();
      for (int round = 0; round < 20_000; round++) {
        Future<Thread> runner = executor.submit(Thread::currentThread);
        assertNotSame(submitter, runner.get(10, SECONDS), "in round " + round);
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
