package dev.pacegate.dispatch;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.LimiterListener;
import dev.pacegate.LineFullException;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.Seeds;
import dev.pacegate.time.ManualTime;
import java.io.IOException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What users of the JDK's executors are used to, and that no permit leaks whatever goes wrong. */
class ExecutorConventionsTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualTime time = ManualTime.manual();
  private final List<String> ran = new CopyOnWriteArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  private static ThrottledExecutorService on(Limiter limiter) {
    return ThrottledExecutorService.of(limiter, Runnable::run);
  }

  private static Throwable causeOf(Future<?> future) {
    var failure = assertThrows(ExecutionException.class, () -> future.get(10, SECONDS));
    return requireNonNull(failure.getCause());
  }

  // ---- rejection

  @Test
  @SuppressWarnings("NullAway") // null is what is tested
  void nullIsRefused() {
    ThrottledExecutorService executor = on(limiter("1/1s"));
    assertThrows(NullPointerException.class, () -> executor.execute(null));
    assertThrows(NullPointerException.class, () -> executor.submit((Callable<String>) null));
  }

  @Test
  void aFullLineIsARejection() {
    Limiter limiter = Limiter.builder("1/1s").time(time).maxWaiting(1).build();
    ThrottledExecutorService executor = on(limiter);
    executor.execute(() -> ran.add("1"));
    executor.execute(() -> ran.add("2"));
    var rejected =
        assertThrows(RejectedExecutionException.class, () -> executor.execute(() -> ran.add("3")));
    assertInstanceOf(LineFullException.class, rejected.getCause());
    executor.shutdown();
    time.advance(SECOND);
    assertTrue(executor.isTerminated(), "what was rejected is not waited for");
    assertEquals(List.of("1", "2"), ran);
  }

  @Test
  void anExecutorThatRejectsRejectsItsTask() {
    Limiter limiter = limiter("concurrent(1)");
    var cause = new RejectedExecutionException("shut down");
    ThrottledExecutorService executor =
        ThrottledExecutorService.of(
            limiter,
            task -> {
              throw cause;
            });
    var rejected =
        assertThrows(RejectedExecutionException.class, () -> executor.execute(() -> ran.add("1")));
    assertSame(cause, rejected.getCause());
    assertEquals(0, limiter.snapshot().granted());
    executor.shutdown();
    assertTrue(executor.isTerminated());
    Rig.assertIdle(limiter);
  }

  @Test
  void anErrorWhileAskingForAPermitLeavesNothingBehind() {
    var clock = new Rig.BrokenTime();
    ThrottledExecutorService executor = on(Limiter.builder("unlimited").time(clock).build());
    clock.broken = true;
    assertThrows(IllegalStateException.class, () -> executor.execute(() -> ran.add("1")));
    clock.broken = false;
    assertEquals(0, executor.queued());
    executor.shutdown();
    assertTrue(executor.isTerminated());
    assertEquals(List.of(), ran);
  }

  @Test
  void anExecutorThatRejectsLaterFailsTheFuture() {
    Limiter limiter = limiter("1/1s");
    ExecutorService underneath = Executors.newSingleThreadExecutor();
    ThrottledExecutorService executor = ThrottledExecutorService.of(limiter, underneath);
    executor.execute(() -> ran.add("first"));
    Rig.await("the first", () -> ran.size() == 1);
    Future<?> waiting = executor.submit(() -> ran.add("second"));
    executor.execute(() -> ran.add("third, of which only the log tells"));
    underneath.shutdown();
    time.advance(SECOND);
    time.advance(SECOND);
    assertInstanceOf(RejectedExecutionException.class, causeOf(waiting));
    assertEquals(List.of("first"), ran);
    assertEquals(1, limiter.snapshot().granted(), "what is not run is not charged");
    assertEquals(0, executor.queued());
    Rig.assertIdle(limiter);
  }

  @Test
  void aPausedLimiterKeepsTasksWaiting() {
    Limiter limiter = limiter("unlimited");
    ThrottledExecutorService executor = on(limiter);
    limiter.pause();
    executor.execute(() -> ran.add("1"));
    assertEquals(1, executor.queued());
    limiter.resume();
    assertEquals(List.of("1"), ran);
  }

  @Test
  void anExecutedTaskIsForgottenWhenTheLimiterCloses() {
    Limiter limiter = limiter("1/1s");
    ThrottledExecutorService executor = on(limiter);
    executor.execute(() -> ran.add("1"));
    executor.execute(() -> ran.add("2"));
    limiter.close();
    executor.shutdown();
    assertTrue(executor.isTerminated());
    assertEquals(List.of("1"), ran);
    var rejected =
        assertThrows(RejectedExecutionException.class, () -> on(limiter).execute(() -> {}));
    assertInstanceOf(LimiterClosedException.class, rejected.getCause());
  }

  // ---- the end

  @Test
  void terminatedOnlyAfterTheLastTask() throws Exception {
    ThrottledExecutorService executor =
        ThrottledExecutorService.of(Limiter.of("concurrent(1)"), threads);
    var go = new CountDownLatch(1);
    var started = new CountDownLatch(1);
    executor.execute(
        () -> {
          started.countDown();
          awaitUninterruptibly(go);
          ran.add("last");
        });
    started.await();
    executor.shutdown();
    assertTrue(executor.isShutdown());
    assertFalse(executor.isTerminated());
    assertFalse(executor.awaitTermination(1, MILLISECONDS));
    go.countDown();
    assertTrue(executor.awaitTermination(10, SECONDS));
    assertEquals(List.of("last"), ran);
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    Rig.await("a latch", () -> latch.getCount() == 0);
  }

  @Test
  void whatOneExecutorGivesBackAnotherMayRun() throws Exception {
    ThrottledExecutorService first = on(limiter("1/1s"));
    first.execute(() -> ran.add("1"));
    first.execute(() -> ran.add("2"));
    Future<String> third = first.submit(() -> "3");
    ThrottledExecutorService second = on(limiter("unlimited"));
    first.shutdownNow().forEach(second::execute);
    assertEquals(List.of("1", "2"), ran);
    assertEquals("3", third.get(10, SECONDS));
    second.shutdown();
    assertTrue(second.isTerminated());
  }

  @Test
  void aFutureGivenBackMayBeCancelled() {
    Limiter limiter = limiter("1/1s");
    ThrottledExecutorService executor = on(limiter);
    executor.execute(() -> ran.add("1"));
    Future<?> second = executor.submit(() -> ran.add("2"));
    executor.shutdownNow();
    assertFalse(second.isDone());
    assertTrue(second.cancel(false));
    time.advance(SECOND);
    assertEquals(List.of("1"), ran);
    Rig.assertIdle(limiter);
  }

  /** Given back while it was being handed on. */
  @Test
  void aTaskGivenBackWhileItIsStartedLeavesTheLine() {
    Limiter limiter = limiter("1/1s");
    var work = new ArrayList<Runnable>();
    var never = new ArrayList<Runnable>();
    var self = new ArrayList<ThrottledExecutorService>();
    self.add(
        ThrottledExecutorService.of(
            limiter,
            task -> {
              never.addAll(self.get(0).shutdownNow());
              work.add(task);
            }));
    self.get(0).execute(() -> ran.add("1"));
    assertEquals(1, never.size());
    assertEquals(0, limiter.snapshot().waiting());
    assertTrue(self.get(0).isTerminated());
    work.forEach(Runnable::run);
    assertEquals(List.of(), ran);
    assertEquals(0, limiter.snapshot().granted());
  }

  /** {@code close} came with JDK 19. */
  @Test
  void closingShutsDownAndWaits() throws Exception {
    Method close;
    try {
      close = ExecutorService.class.getMethod("close");
    } catch (NoSuchMethodException before19) {
      assumeTrue(false, "this JDK cannot close executors");
      return;
    }
    ThrottledExecutorService executor =
        ThrottledExecutorService.of(Limiter.of("spacing(1ms)"), threads);
    for (int i = 0; i < 5; i++) {
      executor.execute(() -> ran.add("ran"));
    }
    close.invoke(executor);
    assertTrue(executor.isTerminated());
    assertEquals(5, ran.size());
  }

  @Test
  void virtualThreadsWillDo() throws Exception {
    ExecutorService virtual = Rig.virtualThreads();
    assumeTrue(virtual != null, "this JDK has no virtual threads");
    Limiter limiter = Limiter.of("concurrent(20) & 1000/1ms");
    ThrottledExecutorService executor = ThrottledExecutorService.of(limiter, virtual);
    var most = new AtomicInteger();
    var futures = new ArrayList<Future<?>>();
    for (int i = 0; i < 2000; i++) {
      futures.add(
          executor.submit(() -> most.accumulateAndGet(limiter.snapshot().open(), Math::max)));
    }
    for (Future<?> future : futures) {
      future.get(10, SECONDS);
    }
    assertTrue(most.get() <= 20);
    Rig.assertIdle(limiter);
    virtual.shutdown();
  }

  // ---- many at once

  @Test
  void invokeAllWaitsForAllWhateverBecomesOfThem() throws Exception {
    Limiter limiter = Limiter.of("concurrent(1)");
    ThrottledExecutorService executor = ThrottledExecutorService.of(limiter, threads);
    List<Callable<String>> tasks =
        List.of(
            () -> "1",
            () -> {
              throw new IOException("2");
            },
            () -> "3");
    List<Future<String>> futures = executor.invokeAll(tasks);
    assertEquals("1", futures.get(0).get());
    assertInstanceOf(IOException.class, causeOf(futures.get(1)));
    assertEquals("3", futures.get(2).get());
    Rig.assertIdle(limiter);
  }

  @Test
  void invokeAllOutOfTimeCancelsWhatWaits() throws Exception {
    Limiter limiter = limiter("1/1h");
    ThrottledExecutorService executor = on(limiter);
    List<Callable<String>> tasks = List.of(() -> "1", () -> "2", () -> "3");
    List<Future<String>> futures = executor.invokeAll(tasks, 20, MILLISECONDS);
    assertEquals("1", futures.get(0).get());
    assertTrue(futures.get(1).isCancelled());
    assertTrue(futures.get(2).isCancelled());
    assertEquals(0, executor.queued());
    Rig.assertIdle(limiter);
  }

  @Test
  void invokeAnyChargesNothingForThoseItNeedsNoMore() throws Exception {
    Limiter limiter = limiter("2/1h");
    ThrottledExecutorService executor = on(limiter);
    List<Callable<String>> tasks =
        List.of(
            () -> {
              throw new IOException("first");
            },
            () -> "second",
            () -> "third",
            () -> "fourth");
    assertEquals("second", executor.invokeAny(tasks));
    assertEquals(0, executor.queued());
    Rig.assertIdle(limiter);
    time.advance(Duration.ofHours(1));
    assertEquals(2, limiter.snapshot().granted());
  }

  @Test
  void invokeAnyFailsAsInTheJdk() {
    ThrottledExecutorService executor = on(limiter("2/1h"));
    List<Callable<String>> failing =
        List.of(
            () -> {
              throw new IOException("only");
            });
    var failure = assertThrows(ExecutionException.class, () -> executor.invokeAny(failing));
    assertInstanceOf(IOException.class, failure.getCause());
    assertThrows(IllegalArgumentException.class, () -> executor.invokeAny(List.of()));
    List<Callable<String>> late = List.of(() -> ran.add("taken") ? "2" : "");
    assertThrows(
        TimeoutException.class,
        () -> {
          executor.invokeAny(late);
          executor.invokeAny(late, 5, MILLISECONDS);
        });
    assertEquals(0, executor.queued());
    executor.shutdown();
    assertThrows(RejectedExecutionException.class, () -> executor.invokeAny(failing));
  }

  // ---- interrupts

  /** One thread that, unlike the JDK's pools, leaves its interrupt flag as tasks leave it. */
  private static final class Bare implements Executor {
    final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    final List<Boolean> leaked = new CopyOnWriteArrayList<>();

    Bare() {
      Rig.start(
          () -> {
            while (true) {
              Runnable task = tasks.take();
              task.run();
              leaked.add(Thread.interrupted());
            }
          });
    }

    @Override
    public void execute(Runnable task) {
      tasks.add(task);
    }
  }

  private static void busyUntilInterrupted() {
    while (!Thread.currentThread().isInterrupted()) {
      Thread.onSpinWait();
    }
  }

  @Test
  void anInterruptedTaskDoesNotInterruptTheNext() {
    Limiter limiter = Limiter.of("concurrent(1)");
    var bare = new Bare();
    ThrottledExecutorService executor = ThrottledExecutorService.of(limiter, bare);
    for (int round = 0; round < 100; round++) {
      var started = new CountDownLatch(1);
      Future<?> cancelled =
          executor.submit(
              () -> {
                started.countDown();
                busyUntilInterrupted();
              });
      awaitUninterruptibly(started);
      assertTrue(cancelled.cancel(true));
      executor.execute(() -> ran.add("interrupted: " + Thread.currentThread().isInterrupted()));
    }
    // One whose thread came late may have been sent for once more.
    Rig.await("all tasks", () -> bare.leaked.size() >= 200 && ran.size() == 100);
    assertEquals(Set.of("interrupted: false"), new HashSet<>(ran));
    assertFalse(bare.leaked.contains(true));
    Rig.assertIdle(limiter);
  }

  @Test
  void shuttingDownNowInterruptsNobodyElse() {
    Limiter limiter = Limiter.of("concurrent(1)");
    var bare = new Bare();
    for (int round = 1; round <= 100; round++) {
      ThrottledExecutorService executor = ThrottledExecutorService.of(limiter, bare);
      var started = new CountDownLatch(1);
      executor.execute(
          () -> {
            started.countDown();
            busyUntilInterrupted();
          });
      awaitUninterruptibly(started);
      executor.shutdownNow();
      int rounds = round;
      Rig.await("the end of the task", () -> bare.leaked.size() >= rounds);
    }
    assertFalse(bare.leaked.contains(true));
    Rig.assertIdle(limiter);
  }

  // ---- how permits end

  private final List<Throwable> classified = new CopyOnWriteArrayList<>();

  private Runnable onRelease = () -> {};

  /** Knows of each failure, and takes it as lost. */
  private Limiter peer() {
    return Limiter.builder("peer(5/1s, unanswered=1h, margin=0s)")
        .time(time)
        .executor(Runnable::run)
        .classifier(
            failure -> {
              classified.add(failure);
              return Outcome.LOST;
            })
        .listener(
            new LimiterListener() {
              @Override
              public void onRelease(Cost cost, long instant, long waited) {
                onRelease.run();
              }
            })
        .build();
  }

  @Test
  void theFailureOfATaskInsideAnotherDecidesToo() {
    Limiter limiter = peer();
    var service = new ExecutorCompletionService<String>(on(limiter));
    var failure = new IOException("of the task");
    Future<String> future =
        service.submit(
            () -> {
              throw failure;
            });
    assertSame(failure, causeOf(future));
    assertEquals(List.of(failure), classified);
  }

  /** Nobody knows what the outer one has done besides. */
  @Test
  void aTaskCancelledInsideAnotherIsLost() {
    Limiter limiter = peer();
    Queue<Runnable> later = new ArrayDeque<>();
    var service =
        new ExecutorCompletionService<String>(ThrottledExecutorService.of(limiter, later::add));
    Future<String> future = service.submit(() -> "never run");
    assertTrue(future.cancel(false));
    later.remove().run();
    assertEquals(1, limiter.snapshot().granted());
    time.advance(Duration.ofMinutes(30));
    assertEquals(4, most(limiter));
  }

  @Test
  void aTaskCancelledWhileItRunsIsLost() {
    Limiter limiter = peer();
    Queue<Runnable> later = new ArrayDeque<>();
    var self = new CompletableFuture<Future<?>>();
    ThrottledExecutorService executor = ThrottledExecutorService.of(limiter, later::add);
    self.complete(executor.submit(() -> self.join().cancel(false)));
    later.remove().run();
    time.advance(Duration.ofMinutes(30));
    assertEquals(4, most(limiter));
    time.advance(Duration.ofHours(1));
    assertEquals(5, most(limiter));
  }

  private static int most(Limiter limiter) {
    var permits = new ArrayList<Permit>();
    for (var permit = limiter.tryAcquire(); permit.isPresent(); permit = limiter.tryAcquire()) {
      permits.add(permit.get());
    }
    permits.forEach(Permit::notSent);
    return permits.size();
  }

  @Test
  void aTaskCancelledBeforeItRunsIsUnused() {
    Limiter limiter = peer();
    Queue<Runnable> later = new ArrayDeque<>();
    ThrottledExecutorService executor = ThrottledExecutorService.of(limiter, later::add);
    Future<?> future = executor.submit(() -> ran.add("1"));
    future.cancel(true);
    later.remove().run();
    assertFalse(Thread.interrupted());
    assertEquals(5, most(limiter));
    assertEquals(List.of(), ran);
  }

  /** By a thread that has its permit already. */
  @Test
  void aTaskCancelledJustBeforeItRunsIsUnused() {
    Limiter limiter = peer();
    Queue<Runnable> later = new ArrayDeque<>();
    ThrottledExecutorService executor = ThrottledExecutorService.of(limiter, later::add);
    Future<?> future = executor.submit(() -> ran.add("1"));
    onRelease = () -> future.cancel(true);
    later.remove().run();
    assertTrue(future.isCancelled());
    onRelease = () -> {};
    assertFalse(Thread.interrupted());
    assertEquals(1, limiter.snapshot().granted());
    assertEquals(5, most(limiter), "given back at once");
    assertEquals(List.of(), ran);
    executor.shutdown();
    assertTrue(executor.isTerminated());
  }

  @Test
  void aTaskMaySubmitToItsOwnExecutor() {
    Limiter limiter = limiter("concurrent(1)");
    ThrottledExecutorService executor = on(limiter);
    executor.execute(
        () -> {
          executor.execute(() -> ran.add("inner"));
          ran.add("outer");
        });
    assertEquals(List.of("outer", "inner"), ran);
    Rig.assertIdle(limiter);
    ThrottledExecutorService free = on(limiter("unlimited"));
    free.execute(() -> free.execute(() -> ran.add("nested")));
    assertEquals("nested", ran.get(2));
  }

  // ---- everything at once

  @Test
  void eachTaskHasOneFateAndNoPermitLeaks() {
    Seeds.forEach(60, random -> new Chaos(random).run());
  }

  /** Tasks that end in all ways, cancelled at random, and an executor shut down in the middle. */
  private final class Chaos {
    final SplittableRandom random;
    final Limiter limiter = Limiter.of("concurrent(3) & 2000/1ms");
    final AtomicInteger[] runs = new AtomicInteger[200];
    final List<CompletableFuture<String>> stages = new CopyOnWriteArrayList<>();

    Chaos(SplittableRandom random) {
      this.random = random;
    }

    void run() {
      ThrottledExecutorService executor = ThrottledExecutorService.of(limiter, threads, 50);
      var futures = new ArrayList<Future<?>>();
      var indexOf = new ArrayList<Integer>();
      var stopper = new CompletableFuture<List<Runnable>>();
      int stopAt = random.nextInt(runs.length);
      for (int i = 0; i < runs.length; i++) {
        runs[i] = new AtomicInteger();
        if (i == stopAt) {
          Rig.start(() -> stopper.complete(executor.shutdownNow()));
        }
        try {
          futures.add(executor.submit(task(i, random.nextInt(8))));
          indexOf.add(i);
        } catch (RejectedExecutionException rejected) {
          assertTrue(rejected.getMessage() != null);
        }
        if (random.nextInt(4) == 0 && !futures.isEmpty()) {
          futures.get(random.nextInt(futures.size())).cancel(random.nextBoolean());
        }
      }
      List<Runnable> never = stopper.join();
      try {
        Rig.await("the stages", this::completeStages);
        assertTrue(executor.awaitTermination(10, SECONDS));
        for (int i = 0; i < futures.size(); i++) {
          check(futures.get(i), runs[indexOf.get(i)].get(), never);
        }
        Rig.await("stages of the last", () -> completeStages() && limiter.snapshot().open() == 0);
        Rig.assertIdle(limiter);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    private boolean completeStages() {
      stages.forEach(stage -> stage.complete("answer"));
      return true;
    }

    private void check(Future<?> future, int times, List<Runnable> never) {
      if (never.stream().anyMatch(task -> task == future)) {
        assertEquals(0, times, "given back, so it never ran");
      } else {
        assertTrue(future.isDone(), "neither given back nor done");
        assertTrue(times == 1 || (times == 0 && future.isCancelled()));
      }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the executor sees to it
    private Callable<Object> task(int number, int kind) {
      return () -> {
        runs[number].incrementAndGet();
        switch (kind) {
          case 0 -> throw new IOException("failed");
          case 1 -> throw new AssertionError("an Error");
          case 2 -> Thread.currentThread().interrupt();
          case 3 -> Thread.sleep(1); // to be interrupted in
          case 4 -> {
            var stage = new CompletableFuture<String>();
            stages.add(stage);
            return stage;
          }
          default -> {}
        }
        return number;
      };
    }
  }
}
