package dev.pacegate.dispatch;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pacegate.FailingLimit;
import dev.pacegate.Limiter;
import dev.pacegate.time.Time;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What becomes of tasks when an executor ends. */
@Tag("jdk")
class ExecutorShutdownTest extends ExecutorsOnManualTime {

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

  @Test
  void aTaskThatOneExecutorGivesBackMayRunOnAnother() throws Exception {
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

  @Test
  void tasksAreGivenBackThoughTheirPlacesCannotLeave() {
    var limit = new FailingLimit();
    Limiter limiter = Limiter.builder(limit).time(time).executor(Runnable::run).build();
    ThrottledExecutorService executor = on(limiter);
    List<Runnable> given = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      given.add(() -> ran.add("one"));
    }
    given.forEach(executor::execute);
    limit.fails().set(true);
    assertEquals(given, executor.shutdownNow());
    Rig.assertIdle(limiter);
    assertTrue(executor.isTerminated());
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

  /** A count of the visits, each of which reads the clock, not of time. */
  @Test
  void manyLeaveTogether() {
    var readings = new AtomicInteger();
    Time counted =
        new Time() {
          @Override
          public long nanoTime() {
            readings.incrementAndGet();
            return time.nanoTime();
          }

          @Override
          public Scheduled at(long instant, Runnable task) {
            return time.at(instant, task);
          }
        };
    Limiter limiter = Limiter.builder("1/1s").time(counted).executor(Runnable::run).build();
    ThrottledExecutorService executor = on(limiter);
    var given = new ArrayList<Runnable>();
    for (int i = 0; i < 5_000; i++) {
      Runnable task = () -> ran.add("one");
      given.add(task);
      executor.execute(task);
    }
    int before = readings.get();
    List<Runnable> never = executor.shutdownNow();
    int visits = readings.get() - before;
    assertTrue(visits < 100, () -> visits + " visits");
    assertTrue(visits > 50, () -> "no more than 100 leave in one of " + visits + " visits");
    assertEquals(given.subList(1, 5_000), never);
    assertEquals(List.of("one"), ran);
    Rig.assertIdle(limiter);
    assertEquals(1, limiter.snapshot().granted());
    assertTrue(executor.isTerminated());
  }
}
