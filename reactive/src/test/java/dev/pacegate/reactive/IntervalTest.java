package dev.pacegate.reactive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

class IntervalTest {

  private static final Duration SPAN = Duration.ofMillis(50);

  /** The default of CompletableFuture is a thread for each task on a machine of two processors. */
  @Test
  void goesOnOnThreadsOfTheLibraryByDefault() {
    Interval interval = Interval.of(SPAN).eager(false);
    assertNull(interval.executor());
    try (Limiter limiter = interval.limiter(Limits.concurrent(1))) { // ends its wait when told to
      Permit held = limiter.tryAcquire().orElseThrow();
      CompletableFuture<String> thread =
          limiter.acquireAsync().thenApply(permit -> Thread.currentThread().getName());
      held.answered();
      assertEquals("pacegate-helper", thread.join());
    }
  }

  @Test
  void goesOnOnTheExecutorThatItIsGiven() {
    var time = ManualTime.manual();
    var tasks = new ArrayList<Runnable>();
    Executor executor = tasks::add;
    Interval interval = Interval.of(SPAN).on(time, executor);
    assertSame(executor, interval.executor());
    try (Limiter limiter = interval.limiter(Limits.spacing(SPAN))) {
      assertTrue(limiter.tryAcquire().isPresent());
      CompletableFuture<Permit> later = limiter.acquireAsync();
      time.advance(SPAN);
      assertEquals(1, tasks.size());
      tasks.get(0).run();
      assertTrue(later.isDone());
    }
  }
}
