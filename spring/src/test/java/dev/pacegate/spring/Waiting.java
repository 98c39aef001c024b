package dev.pacegate.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** What tests wait for. */
final class Waiting {

  private Waiting() {}

  /** Waits for what another thread brings about, at most fifty seconds. */
  static void until(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(50);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, "did not come about");
      Thread.sleep(2); // polls a state of other threads
    }
  }

  static void nothingIsLeft(Limiter limiter) throws InterruptedException {
    until(() -> limiter.snapshot().open() == 0);
    assertEquals(0, limiter.snapshot().waiting());
  }

  /** Runs a job on several threads at once, and waits for all. */
  static void atOnce(int threads, int each, Callable<?> job) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < threads * each; i++) {
        all.add(pool.submit(job));
      }
      for (Future<?> one : all) {
        one.get(50, TimeUnit.SECONDS);
      }
    } finally {
      pool.shutdownNow();
    }
  }
}
