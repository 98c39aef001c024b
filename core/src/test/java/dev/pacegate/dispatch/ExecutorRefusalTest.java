package dev.pacegate.dispatch;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tasks whose turn has come while the executor underneath is full, or has been shut down. */
class ExecutorRefusalTest extends ExecutorsOnManualTime {

  private final MoodyPool pool = new MoodyPool(Runnable::run, time::nanoTime);
  private final Queue<Runnable> helpers = new ArrayDeque<>();

  private ThrottledExecutorService paced(Limiter limiter) {
    return new ThrottledExecutorService(limiter, pool, Integer.MAX_VALUE, helpers::add);
  }

  /** Moves the clock in small steps, in each of which the helpers do what there is to do. */
  private void advance(Duration span) {
    for (long left = span.toMillis(); left > 0; left--) {
      time.advance(Duration.ofMillis(1));
      help();
    }
  }

  private void refuseFor(Duration span) {
    pool.mood = MoodyPool.FULL;
    advance(span);
  }

  private void acceptFor(Duration span) {
    pool.mood = MoodyPool.WILLING;
    advance(span);
  }

  private void help() {
    for (Runnable work = helpers.poll(); work != null; work = helpers.poll()) {
      work.run();
    }
  }

  private List<Future<?>> submit(ThrottledExecutorService executor, int tasks) {
    var futures = new ArrayList<Future<?>>();
    for (int i = 0; i < tasks; i++) {
      String name = String.valueOf(i);
      futures.add(executor.submit(() -> ran.add(name)));
    }
    return futures;
  }

  private static List<String> names(int tasks) {
    return IntStream.range(0, tasks).mapToObj(String::valueOf).toList();
  }

  // ---- full for a while

  /** Was: the pool refuses one, whose permit goes to the next, which it refuses, and so on. */
  @Test
  void aPoolThatIsFullForASecondCostsNoTask() {
    Limiter limiter = limiter("2/1s");
    ThrottledExecutorService executor = paced(limiter);
    submit(executor, 50);
    refuseFor(Duration.ofMillis(1200));
    assertEquals(names(2), ran);
    assertEquals(48, executor.queued());
    assertEquals(2, limiter.snapshot().granted(), "what is refused takes no permit");
    acceptFor(Duration.ofMillis(300)); // the pause is a quarter of the time that it was full
    assertEquals(names(4), ran);
    advance(Duration.ofSeconds(23));
    assertEquals(names(50), ran);
    Rig.assertIdle(limiter);
  }

  @Test
  void aRefusedTaskHoldsUpNoOtherCallerOfTheLimiter() {
    Limiter limiter = limiter("1/1s");
    ThrottledExecutorService executor = paced(limiter);
    submit(executor, 5);
    refuseFor(Duration.ofSeconds(3));
    assertTrue(limiter.tryAcquire().isPresent());
    assertEquals(names(1), ran);
  }

  @Test
  void onlyTheFirstIsOfferedAgainAfterPausesThatGrow() {
    ThrottledExecutorService executor = paced(limiter("1/1s"));
    submit(executor, 100);
    refuseFor(Duration.ofSeconds(50));
    List<Long> at = pool.refusedAt;
    assertTrue(at.size() > 20 && at.size() < 120, () -> at.size() + " offers");
    for (int i = 1; i < at.size(); i++) {
      long pause = at.get(i) - at.get(i - 1);
      long refused = at.get(i - 1) - at.get(0);
      long most = Math.min(Math.max(10_000_000, refused / 4), 1_000_000_000);
      assertTrue(pause >= 10_000_000 && pause <= most + 1_000_000, "a pause of " + pause);
    }
  }

  @Test
  void aTaskThatIsExecutedWhileOthersWaitStaysBehindThem() {
    ThrottledExecutorService executor = paced(limiter("10/1s"));
    pool.mood = MoodyPool.FULL;
    assertThrows(RejectedExecutionException.class, () -> submit(executor, 1), "it is the first");
    pool.mood = MoodyPool.WILLING;
    submit(executor, 11);
    refuseFor(Duration.ofSeconds(2));
    executor.execute(() -> ran.add("11"));
    pool.mood = MoodyPool.WILLING;
    executor.execute(() -> ran.add("12"));
    advance(Duration.ofSeconds(1));
    assertEquals(names(13), ran);
  }

  /** The executor calls back as it is offered the first task, and refuses that afterwards. */
  @Test
  void aRefusalIsForTheTaskThatStillWaits() {
    var calls = new AtomicInteger();
    var self = new ArrayList<ThrottledExecutorService>();
    self.add(
        new ThrottledExecutorService(
            limiter("unlimited"),
            task -> {
              if (calls.incrementAndGet() > 1) {
                task.run();
              } else {
                self.get(0).execute(() -> ran.add("1")); // whose thread runs the first
                throw new RejectedExecutionException("full, says a test");
              }
            },
            Integer.MAX_VALUE,
            helpers::add));
    self.get(0).execute(() -> ran.add("0"));
    assertEquals(names(2), ran);
    assertEquals(3, calls.get());
    self.get(0).shutdown();
    assertTrue(self.get(0).isTerminated());
  }

  // ---- errors

  @Test
  void anErrorOfThePoolIsARefusal() {
    Limiter limiter = limiter("1/1s");
    ThrottledExecutorService executor = paced(limiter);
    submit(executor, 3);
    pool.mood = () -> new OutOfMemoryError("unable to create native thread, says a test");
    advance(Duration.ofSeconds(2));
    assertEquals(names(1), ran);
    acceptFor(Duration.ofSeconds(3));
    assertEquals(names(3), ran);
    Rig.assertIdle(limiter);
  }

  @Test
  void anErrorOfThePoolIsTheCauseInTheEnd() {
    Limiter limiter = limiter("1/1s");
    ThrottledExecutorService executor = paced(limiter);
    Future<?> last = submit(executor, 2).get(1);
    var error = new OutOfMemoryError("unable to create native thread, says a test");
    pool.mood = () -> error;
    advance(Duration.ofSeconds(63));
    Throwable why = causeOf(last);
    assertInstanceOf(RejectedExecutionException.class, why);
    assertTrue(String.valueOf(why.getMessage()).contains("for 1m"), why.getMessage());
    assertSame(error, why.getCause());
    Rig.assertIdle(limiter);
  }

  // ---- the end

  @Test
  void aPoolThatIsFullForAMinuteIsGivenUpWithALineInTheLog() {
    try (var log = new DispatchLog()) {
      Limiter limiter = limiter("2/1s");
      ThrottledExecutorService executor = paced(limiter);
      List<Future<?>> futures = submit(executor, 20);
      for (int i = 0; i < 30; i++) {
        executor.execute(() -> ran.add("executed"));
      }
      pool.mood = MoodyPool.FULL;
      executor.shutdown();
      advance(Duration.ofSeconds(60));
      assertEquals(48, executor.queued());
      assertFalse(executor.isTerminated());
      advance(Duration.ofSeconds(3));
      assertTrue(executor.isTerminated(), "so its close() ends");
      assertEquals(names(2), ran);
      assertTrue(futures.stream().allMatch(Future::isDone));
      assertInstanceOf(RejectedExecutionException.class, causeOf(futures.get(19)));
      assertEquals(
          List.of("limiter 2/1s: 48 tasks were not run, 30 of them without a future"), log.lines);
      Rig.assertIdle(limiter);
    }
  }

  @Test
  void aPoolThatAcceptsATaskAMinuteIsNotGivenUp() {
    ThrottledExecutorService executor = paced(limiter("1/1s"));
    submit(executor, 4);
    int[] room = {0};
    pool.mood = () -> room[0]-- > 0 ? null : MoodyPool.FULL.refusal();
    for (int i = 1; i < 4; i++) {
      advance(Duration.ofSeconds(50));
      assertEquals(names(i), ran);
      room[0] = 1;
      advance(Duration.ofSeconds(2));
    }
    assertEquals(names(4), ran);
  }

  /** The two lines of a program that does not wait between them. */
  @Test
  void manyTasksFailWithOneLineWhenThePoolIsShutDownWithoutMuchStack() throws Exception {
    try (var log = new DispatchLog()) {
      Limiter limiter = limiter("2/1s");
      ThrottledExecutorService executor = paced(limiter);
      List<Future<?>> futures = submit(executor, 20_000);
      executor.shutdown();
      pool.shutdown();
      var small = new Thread(null, () -> advance(Duration.ofSeconds(1)), "small", 256 * 1024);
      small.start();
      small.join();
      assertTrue(executor.isTerminated());
      assertEquals(names(2), ran);
      assertTrue(futures.stream().allMatch(Future::isDone));
      assertInstanceOf(RejectedExecutionException.class, causeOf(futures.get(19_999)));
      assertEquals(
          List.of("limiter 2/1s: 19998 tasks were not run, 0 of them without a future"), log.lines);
      Rig.assertIdle(limiter);
    }
  }

  @Test
  void aPoolThatIsShutDownIsToldToTheCaller() {
    ThrottledExecutorService executor = paced(limiter("1/1s"));
    submit(executor, 1);
    pool.shutdown(); // and drops what it is given
    var rejected = assertThrows(RejectedExecutionException.class, () -> submit(executor, 1));
    assertEquals("the executor underneath has been shut down", rejected.getMessage());
    assertEquals(0, executor.queued());
  }

  @Test
  void tasksThatAPoolHasAcceptedRunAfterItsShutdown() {
    var accepted = new ArrayDeque<Runnable>();
    var busy = new MoodyPool(accepted::add, time::nanoTime);
    Limiter limiter = limiter("2/1s");
    var executor = new ThrottledExecutorService(limiter, busy, Integer.MAX_VALUE, helpers::add);
    List<Future<?>> futures = submit(executor, 5);
    advance(Duration.ofMillis(1)); // two are late, so two others are called
    assertEquals(4, accepted.size());
    busy.shutdown();
    advance(Duration.ofMillis(1));
    assertEquals(4, executor.queued(), "those that were not accepted fail");
    assertInstanceOf(RejectedExecutionException.class, causeOf(futures.get(4)));
    accepted.forEach(Runnable::run);
    assertEquals(names(2), ran);
    advance(Duration.ofSeconds(1));
    executor.shutdown();
    assertTrue(executor.isTerminated());
    Rig.assertIdle(limiter);
  }

  // ---- meanwhile

  @Test
  void aTaskMayBeCancelledWhileItWaitsToBeOfferedAgain() {
    Limiter limiter = limiter("1/1s");
    ThrottledExecutorService executor = paced(limiter);
    List<Future<?>> futures = submit(executor, 4);
    refuseFor(Duration.ofMillis(1500));
    assertTrue(futures.get(1).cancel(false));
    assertEquals(2, executor.queued());
    acceptFor(Duration.ofSeconds(3));
    assertEquals(List.of("0", "2", "3"), ran);
    assertThrows(CancellationException.class, () -> futures.get(1).get());
    Rig.assertIdle(limiter);
  }

  @Test
  void shuttingDownWhileTasksWaitToBeOfferedAgainLetsThemRun() throws Exception {
    ThrottledExecutorService executor = paced(limiter("1/1s"));
    submit(executor, 3);
    refuseFor(Duration.ofMillis(1500));
    executor.shutdown();
    assertFalse(executor.isTerminated());
    acceptFor(Duration.ofSeconds(3));
    assertEquals(names(3), ran);
    assertTrue(executor.awaitTermination(0, SECONDS));
  }

  @Test
  void shuttingDownNowGivesBackWhatWaitsToBeOfferedAgain() {
    Limiter limiter = limiter("1/1s");
    ThrottledExecutorService executor = paced(limiter);
    List<Future<?>> futures = submit(executor, 3);
    refuseFor(Duration.ofMillis(1500));
    assertEquals(futures.subList(1, 3), executor.shutdownNow());
    assertTrue(executor.isTerminated());
    Rig.assertIdle(limiter);
    int offers = pool.refusedAt.size();
    advance(Duration.ofSeconds(3));
    assertEquals(names(1), ran);
    assertEquals(offers, pool.refusedAt.size());
    assertEquals(0, time.pending());
  }

  @Test
  void aClosedLimiterFailsWhatWaitsToBeOfferedAgain() {
    Limiter limiter = limiter("1/1s");
    ThrottledExecutorService executor = paced(limiter);
    List<Future<?>> futures = submit(executor, 3);
    refuseFor(Duration.ofMillis(1500));
    limiter.close();
    executor.shutdown();
    acceptFor(Duration.ofSeconds(1));
    assertInstanceOf(LimiterClosedException.class, causeOf(futures.get(1)));
    assertInstanceOf(LimiterClosedException.class, causeOf(futures.get(2)));
    assertTrue(executor.isTerminated());
    Rig.assertIdle(limiter);
  }

  // ---- executors that run tasks on their caller

  @Test
  void aLongQueueNeedsNoStackIfThePoolRunsTasksOnItsCaller() throws Exception {
    Limiter limiter = Limiter.of("concurrent(1)");
    var executor = ThrottledExecutorService.of(limiter, Runnable::run);
    var held = limiter.acquire();
    List<Future<?>> futures = submit(executor, 20_000);
    var small = new Thread(null, held::answered, "small", 256 * 1024);
    small.start();
    small.join();
    for (Future<?> future : futures) {
      future.get(20, SECONDS);
    }
    assertEquals(names(20_000), ran);
    Rig.assertIdle(limiter);
  }
}
