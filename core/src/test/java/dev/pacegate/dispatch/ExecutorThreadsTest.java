package dev.pacegate.dispatch;

import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** On which threads tasks are offered, run and failed, in real time and on real pools. */
@Timeout(120)
class ExecutorThreadsTest {

  private static final String TIMER = "pacegate-timer";
  private static final int TASKS = 1_000;

  private final Set<String> seen = ConcurrentHashMap.newKeySet(); // names of threads
  private final List<ExecutorService> pools = new ArrayList<>();

  @AfterEach
  void stop() {
    pools.forEach(ExecutorService::shutdownNow);
  }

  private void look() {
    seen.add(Thread.currentThread().getName());
  }

  /** A pool of two threads and room for one more task, which notes who calls it. */
  private ThreadPoolExecutor pool(RejectedExecutionHandler whenFull) {
    var made =
        new ThreadPoolExecutor(2, 2, 1, SECONDS, new ArrayBlockingQueue<>(1), whenFull) {
          @Override
          public void execute(Runnable task) {
            look();
            super.execute(task);
          }
        };
    pools.add(made);
    return made;
  }

  private void blockAllThreads(ExecutorService pool, CountDownLatch until) {
    for (int i = 0; i < 3; i++) {
      pool.execute(() -> ExecutorsOnManualTime.awaitUninterruptibly(until));
    }
  }

  @Test
  void aFullPoolThatRunsTasksOnItsCallerNeverRunsThemOnTheTimer() throws Exception {
    ThreadPoolExecutor pool = pool(new ThreadPoolExecutor.CallerRunsPolicy());
    var until = new CountDownLatch(1);
    blockAllThreads(pool, until);
    ThrottledExecutorService executor =
        ThrottledExecutorService.of(Limiter.of("spacing(1ms)"), pool);
    var futures = new ArrayList<Future<?>>();
    for (int i = 0; i < 100; i++) {
      futures.add(executor.submit(this::look));
    }
    for (Future<?> future : futures) {
      future.get(60, SECONDS);
    }
    until.countDown();
    assertFalse(seen.contains(TIMER), seen::toString);
  }

  @Test
  void aFullPoolIsNeverOfferedTasksByTheTimer() throws Exception {
    ThreadPoolExecutor pool = pool(new ThreadPoolExecutor.AbortPolicy());
    Limiter limiter = Limiter.of("spacing(1ms)");
    ThrottledExecutorService executor = ThrottledExecutorService.of(limiter, pool);
    limiter.pause();
    var futures = new ArrayList<Future<?>>();
    for (int i = 0; i < 100; i++) {
      futures.add(executor.submit(this::look));
    }
    var until = new CountDownLatch(1);
    blockAllThreads(pool, until);
    limiter.resume();
    Rig.await("a second offer", () -> seen.size() > 1);
    until.countDown();
    for (Future<?> future : futures) {
      future.get(60, SECONDS);
    }
    assertFalse(seen.contains(TIMER), seen::toString);
  }

  /** What the guide warns of: the pool ends before the tasks. */
  @Test
  void tasksWhosePoolIsShutDownFailOffTheTimer() throws Exception {
    try (var log = new DispatchLog()) {
      ThreadPoolExecutor pool = pool(new ThreadPoolExecutor.AbortPolicy());
      Limiter limiter = Limiter.of("2/100ms");
      ThrottledExecutorService executor = ThrottledExecutorService.of(limiter, pool);
      limiter.pause();
      var futures = new ArrayList<Future<?>>();
      for (int i = 0; i < 20_000; i++) {
        futures.add(executor.submit(this::look));
      }
      limiter.resume();
      executor.shutdown();
      pool.shutdown();
      assertTrue(executor.awaitTermination(60, SECONDS));
      int ran = 0;
      for (Future<?> future : futures) {
        assertTrue(future.isDone());
        ran += isFailed(future) ? 0 : 1;
      }
      assertTrue(ran >= 2, () -> "those that were accepted before");
      assertEquals(20_000 - ran, log.lines.stream().mapToInt(this::notRun).sum());
      // One for all, and one for each task that was underneath then and found no permit there.
      assertTrue(log.lines.size() <= 1 + 3, log.lines::toString);
      assertFalse(log.threads.stream().anyMatch(thread -> thread.getName().equals(TIMER)));
      assertFalse(seen.contains(TIMER), seen::toString);
      Rig.assertIdle(limiter);
    }
  }

  private int notRun(String line) {
    return Integer.parseInt(line.replaceFirst(".*: (\\d+) tasks were not run.*", "$1"));
  }

  private static boolean isFailed(Future<?> future) throws InterruptedException {
    try {
      future.get();
      return false;
    } catch (ExecutionException failed) {
      assertInstanceOf(RejectedExecutionException.class, failed.getCause());
      return true;
    }
  }

  /** Refuses one task, then runs one on the thread that offers it, which blocks. */
  @Test
  void aTaskThatRunsOnTheThreadThatOffersItHoldsUpNoOther() throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool();
    pools.add(threads);
    var offers = new AtomicInteger();
    var secondRan = new CountDownLatch(1);
    Limiter limiter = Limiter.of("unlimited");
    limiter.pause();
    ThrottledExecutorService executor =
        ThrottledExecutorService.of(
            limiter,
            task -> {
              switch (offers.incrementAndGet()) {
                case 1 -> throw new RejectedExecutionException("full, says a test");
                case 2 -> task.run();
                default -> threads.execute(task);
              }
            });
    Future<Boolean> first = executor.submit(() -> secondRan.await(60, SECONDS));
    Future<?> second = executor.submit(secondRan::countDown);
    limiter.resume();
    second.get(60, SECONDS);
    assertTrue(first.get(60, SECONDS));
  }

  // ---- many

  /** A place in the limiter's queue serves whichever task is first, so it may change hands. */
  @Test
  void tasksThatAreCancelledWhileOthersStartLeaveNothing() throws Exception {
    var pool = new ThreadPoolExecutor(3, 3, 1, SECONDS, new SynchronousQueue<>());
    pools.add(pool);
    Limiter limiter = Limiter.of("concurrent(2) & 20/1ms");
    ThrottledExecutorService executor = ThrottledExecutorService.of(limiter, pool);
    var ran = new AtomicIntegerArray(TASKS);
    var futures = new ArrayList<Future<?>>();
    limiter.pause();
    for (int i = 0; i < TASKS; i++) {
      int number = i;
      futures.add(executor.submit(() -> ran.incrementAndGet(number)));
    }
    Thread canceller = Rig.start(() -> futures.forEach(future -> future.cancel(false)));
    limiter.resume();
    canceller.join();
    executor.shutdown();
    assertTrue(executor.awaitTermination(1, MINUTES));
    for (int i = 0; i < TASKS; i++) {
      assertTrue(futures.get(i).isDone());
      boolean both = futures.get(i).isCancelled(); // if it was cancelled while it ran
      assertTrue(ran.get(i) == 1 || (both && ran.get(i) == 0), "task " + i);
    }
    Rig.assertIdle(limiter);
  }

  @Test
  void thousandsOfTasksOnASmallPoolRunOnceEach() throws Exception {
    runAll(TASKS, new SynchronousQueue<>());
    runAll(TASKS, new ArrayBlockingQueue<>(3));
  }

  @Test
  @Tag("heavy")
  void aHundredThousandTasksOnASmallPoolRunOnceEach() throws Exception {
    runAll(100_000, new ArrayBlockingQueue<>(100));
  }

  private void runAll(int tasks, BlockingQueue<Runnable> queue) throws Exception {
    var pool = new ThreadPoolExecutor(2, 2, 1, SECONDS, queue);
    pools.add(pool);
    Limiter limiter = Limiter.of("100/1ms");
    ThrottledExecutorService executor = ThrottledExecutorService.of(limiter, pool);
    var ran = new AtomicIntegerArray(tasks);
    int accepted = 0;
    for (int i = 0; i < tasks; i++) {
      int number = i;
      try {
        executor.execute(() -> ran.incrementAndGet(number));
        accepted++;
      } catch (RejectedExecutionException full) {
        assertEquals(0, ran.get(number));
      }
    }
    executor.shutdown();
    assertThrows(RejectedExecutionException.class, () -> executor.execute(this::look));
    assertTrue(executor.awaitTermination(10, MINUTES));
    int all = 0;
    for (int i = 0; i < tasks; i++) {
      assertTrue(ran.get(i) <= 1, "ran twice");
      all += ran.get(i);
    }
    assertEquals(accepted, all);
    assertEquals(all, limiter.snapshot().granted());
    Rig.assertIdle(limiter);
  }
}
