package dev.pacegate.dispatch;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.time.WheelTimer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * All limiters of a process share one timer. What becomes of the tasks of one must not delay
 * another: its waits are compared with those of a timer that does nothing else, measured beside it.
 */
@Timeout(120)
@Tag("idle")
class OtherLimitersTest {

  private static final int TRIES = 3;
  private static final int TASKS = 20_000;
  private static final long SPACING = 20_000_000;
  private static final long LOOK = 3_000_000_000L;

  /** Something that happens to many tasks at once while other limiters are at work. */
  private interface Trouble {
    void begin() throws Exception;
  }

  @Test
  void tasksWhosePoolIsShutDownDelayNoOtherLimiter() throws Exception {
    assertDelaysNone(
        () -> {
          ExecutorService threads = Executors.newFixedThreadPool(2);
          submit(ThrottledExecutorService.of(Limiter.of("2/1s"), threads));
          threads.shutdown();
        });
  }

  @Test
  void tasksWhosePoolIsFullDelayNoOtherLimiter() throws Exception {
    assertDelaysNone(
        () -> {
          var full = new AtomicBoolean();
          ExecutorService threads = Executors.newFixedThreadPool(2);
          submit(
              ThrottledExecutorService.of(
                  Limiter.of("2/1s"),
                  task -> {
                    if (full.get()) {
                      throw new RejectedExecutionException("full, says a test");
                    }
                    threads.execute(task);
                  }));
          full.set(true);
        });
  }

  private static List<Future<?>> submit(ExecutorService paced) {
    var futures = new ArrayList<Future<?>>();
    for (int i = 0; i < TASKS; i++) {
      futures.add(paced.submit(() -> {}));
    }
    return futures;
  }

  /** A busy machine delays both, but hardly each time by chance the one and not the other. */
  private static void assertDelaysNone(Trouble trouble) throws Exception {
    var seen = new ArrayList<String>();
    boolean kept = false;
    for (int i = 0; i < TRIES && !kept; i++) {
      trouble.begin();
      CompletableFuture<Long> bare =
          CompletableFuture.supplyAsync(OtherLimitersTest::worstOfATimer);
      long worst = worstOfALimiter();
      seen.add(worst / 1000 + " us beside " + bare.get() / 1000 + " us");
      kept = worst <= 2 * bare.get();
    }
    System.out.println(seen);
    assertTrue(kept, seen::toString);
  }

  private static long worstOfALimiter() throws Exception {
    Limiter other = Limiter.of("spacing(20ms)");
    long end = System.nanoTime() + LOOK;
    long worst = 0;
    while (System.nanoTime() - end < 0) {
      long asked = System.nanoTime();
      other.acquireAsync().get();
      worst = Math.max(worst, System.nanoTime() - asked);
    }
    return worst;
  }

  private static long worstOfATimer() {
    long end = System.nanoTime() + LOOK;
    long worst = 0;
    Executor threads = new CompletableFuture<Void>().defaultExecutor(); // as a limiter's
    try (var timer = new WheelTimer("bare")) {
      while (System.nanoTime() - end < 0) {
        long asked = System.nanoTime();
        var rung = new CompletableFuture<Void>();
        timer.at(asked + SPACING, () -> threads.execute(() -> rung.complete(null)));
        rung.orTimeout(LOOK, NANOSECONDS).join();
        worst = Math.max(worst, System.nanoTime() - asked);
      }
    }
    return worst;
  }
}
