package dev.pacegate.dispatch;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Seeds;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Many tasks handed in at once, as users of the JDK's executors do. */
class ExecutorBulkTest extends ExecutorsOnManualTime {

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
