package dev.pacegate.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.WaitQueueFullException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Tasks that are rejected, at once or later. */
class ExecutorRejectionTest extends ExecutorsOnManualTime {

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
    assertInstanceOf(WaitQueueFullException.class, rejected.getCause());
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
  void anExecutorThatIsShutDownLaterFailsTheFuture() {
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
    executor.shutdown();
    Rig.await("the end of the third", executor::isTerminated);
    assertEquals(List.of("first"), ran);
    assertEquals(1, limiter.snapshot().granted(), "what is not run is not charged");
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
}
