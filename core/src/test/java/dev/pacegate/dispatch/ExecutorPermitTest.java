package dev.pacegate.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterListener;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Outcome;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** How the permit of a task ends, also of one inside another. */
class ExecutorPermitTest extends ExecutorsOnManualTime {

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

  /** It is not known what the outer one has done besides. */
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
}
