package dev.pacegate.dispatch;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterListener;
import dev.pacegate.limit.Cost;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Whatever a target does, no message is lost, no permit leaks, nothing hangs. */
class ThrottlerTargetTest extends ThrottlersOnManualTime {

  @Test
  void aTargetThatFailsInAnyWayEndsItsPermitAndStopsNothing() throws Exception {
    Limiter limiter = limiter("concurrent(1)");
    Throttler<String> throttler = direct(limiter).build();
    sendAll(throttler, "1", "2", "3");
    throttler.target(
        message -> {
          switch (message) {
            case "1" -> throw new AssertionError("thrown by a test");
            case "2" -> throw new StackOverflowError("thrown by a test");
            default -> delivered.add(message);
          }
        });
    assertEquals(List.of("3"), delivered);
    assertEquals(2, failed.size());
    Rig.assertIdle(limiter);
  }

  @Test
  void aTargetThatFailsToConnectHasUsedNothing() throws Exception {
    Limiter limiter = limiter("peer(2/1h)");
    Throttler<String> throttler = direct(limiter).build();
    throttler.targetAsync(
        message ->
            message.equals("1")
                ? CompletableFuture.failedFuture(new java.net.ConnectException("refused"))
                : CompletableFuture.failedFuture(new IOException("broken")));
    sendAll(throttler, "1", "2");
    assertEquals(1, free(limiter));
  }

  @Test
  void whileTheTargetBlocksMessagesQueueAndTheEndLosesNone() throws Exception {
    Limiter limiter = limiter("unlimited");
    Throttler<String> throttler = pooled(limiter).build();
    var inTarget = new CountDownLatch(1);
    var go = new CountDownLatch(1);
    throttler.target(
        message -> {
          inTarget.countDown();
          Rig.await("the test", () -> go.getCount() == 0);
          delivered.add(message);
        });
    sendAll(throttler, "1", "2", "3");
    inTarget.await();
    assertEquals(2, throttler.queued());
    assertFalse(throttler.drain(Duration.ofMillis(1)));
    throttler.close();
    assertEquals(List.of("2", "3"), throttler.undelivered());
    go.countDown();
    assertTrue(throttler.drain(Rig.PATIENCE), "waits for what is being delivered");
    assertEquals(List.of("1"), delivered);
    Rig.assertIdle(limiter);
  }

  @Test
  void aTargetThatTakesItselfAwayGetsNoMore() throws Exception {
    Limiter limiter = limiter("unlimited");
    Throttler<String> throttler = direct(limiter).build();
    sendAll(throttler, "1", "2", "3");
    throttler.target(
        message -> {
          delivered.add("first " + message);
          throttler.target(null);
        });
    assertEquals(List.of("first 1"), delivered);
    assertEquals(2, throttler.queued());
    throttler.target(message -> delivered.add("second " + message));
    assertEquals(List.of("first 1", "second 2", "second 3"), delivered);
    Rig.assertIdle(limiter);
  }

  /** The permit of a turn that was given up too late must not make a second deliverer. */
  @Test
  void aTurnThatWasGivenUpDeliversNothing() throws Exception {
    var threads = new ThreadPoolExecutor(2, 2, 1, SECONDS, new LinkedBlockingQueue<>());
    try {
      var inTarget = new CountDownLatch(1);
      var go = new CountDownLatch(1);
      var exchange = new AtomicInteger();
      Limiter limiter =
          Limiter.builder("concurrent(2)")
              .listener(
                  new LimiterListener() {
                    @Override
                    public void onRelease(Cost cost, long instant, long waited) {
                      if (exchange.getAndIncrement()
                          == 0) { // its permit is taken, and not used yet
                        shared.target(null);
                        shared.target(
                            message -> {
                              inTarget.countDown();
                              Rig.await("the test", () -> go.getCount() == 0);
                              delivered.add(message);
                            });
                        Rig.await("the other turn", () -> inTarget.getCount() == 0);
                      }
                    }
                  })
              .build();
      shared = pooled(limiter).executor(threads).build();
      sendAll(shared, "1", "2");
      shared.target(message -> delivered.add("too late: " + message));
      inTarget.await();
      Rig.await("the end of the first turn", () -> threads.getCompletedTaskCount() == 1);
      assertEquals(List.of(), delivered);
      assertEquals(1, shared.queued());
      assertEquals(1, limiter.snapshot().open());
      go.countDown();
      assertTrue(shared.drain(Rig.PATIENCE));
      assertEquals(List.of("1", "2"), delivered);
      Rig.assertIdle(limiter);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void anInterruptLeftByTheTargetIsTheExecutorsAffair() throws Exception {
    var tasks = new LinkedBlockingQueue<Runnable>();
    Executor clearing = tasks::add;
    Rig.start(
        () -> {
          while (true) {
            tasks.take().run();
            Thread.interrupted(); // as the JDK's pools do
          }
        });
    Throttler<String> throttler = pooled(limiter("unlimited")).executor(clearing).build();
    sendAll(throttler, "1", "2", "3");
    throttler.target(
        message -> {
          delivered.add(message + Thread.currentThread().isInterrupted());
          Thread.currentThread().interrupt();
        });
    assertTrue(throttler.drain(Rig.PATIENCE));
    assertEquals(List.of("1false", "2false", "3false"), delivered);
  }

  @Test
  void aPermitEndsWithTheAnswer() throws Exception {
    Limiter limiter = limiter("concurrent(2)");
    Throttler<String> throttler = direct(limiter).build();
    var answers = new ArrayList<CompletableFuture<String>>();
    throttler.targetAsync(
        message -> {
          delivered.add(message);
          answers.add(new CompletableFuture<>());
          return answers.get(answers.size() - 1);
        });
    sendAll(throttler, "1", "2", "3", "4");
    assertEquals(List.of("1", "2"), delivered);
    assertEquals(2, limiter.snapshot().open());
    assertEquals(0, limiter.snapshot().refused());
    answers.get(1).complete("answer");
    assertEquals(List.of("1", "2", "3"), delivered);
    answers.get(0).completeExceptionally(new IOException("no answer"));
    assertEquals(List.of("1", "2", "3", "4"), delivered);
    assertEquals(List.of("1 " + IOException.class), failed);
    assertFalse(throttler.drain(Duration.ZERO), "two are not answered");
    answers.get(2).complete("answer");
    answers.get(3).complete("answer");
    assertTrue(throttler.drain(Duration.ZERO));
    Rig.assertIdle(limiter);
  }

  /** It would be lost, and the next message could not go for an hour. */
  @Test
  void aTargetMayEndThePermitItself() throws Exception {
    Limiter limiter = limiter("peer(1/1h)");
    Throttler<String> throttler = direct(limiter).build();
    throttler.targetWithPermit(
        (message, permit) -> {
          if (message.equals("bad")) {
            permit.notSent();
            throw new IllegalStateException("cannot be encoded");
          }
          delivered.add(message);
          return CompletableFuture.completedFuture("answer");
        });
    sendAll(throttler, "bad", "bad", "1", "2");
    assertEquals(List.of("1"), delivered);
    assertEquals(2, failed.size());
    assertEquals(0, limiter.snapshot().open());
    throttler.close();
  }

  @Test
  @SuppressWarnings("NullAway") // null is what is tested
  void noAnswerToComeIsAFailure() throws Exception {
    Limiter limiter = limiter("concurrent(1)");
    Throttler<String> throttler = direct(limiter).build();
    throttler.targetAsync(message -> null);
    sendAll(throttler, "1", "2");
    assertEquals(2, failed.size());
    Rig.assertIdle(limiter);
  }

  /** A program that stops wants to know when the target is at rest. */
  @Test
  void drainOfAClosedThrottlerWaitsForWhatIsBeingDelivered() throws Exception {
    Throttler<String> throttler = pooled(limiter("unlimited")).build();
    var begun = new CountDownLatch(1);
    var goOn = new CountDownLatch(1);
    throttler.target(
        message -> {
          begun.countDown();
          Rig.await("the sign to go on", () -> goOn.getCount() == 0);
          delivered.add(message);
        });
    sendAll(throttler, "1", "2");
    begun.await();
    throttler.close();
    Thread stopper = Rig.start(() -> marked.add(throttler.drain(Rig.PATIENCE) + " " + delivered));
    Rig.await("one that waits", () -> stopper.getState() == Thread.State.TIMED_WAITING);
    goOn.countDown();
    stopper.join(Rig.PATIENCE.toMillis());
    assertEquals(List.of("false [1]"), marked);
  }

  @Test
  void drainAnswersAtOnceForAnyTimeout() throws Exception {
    Throttler<String> throttler = direct(limiter("1/1s")).build();
    sendAll(throttler, "1");
    assertFalse(throttler.drain(Duration.ofSeconds(-1)));
    throttler.close();
    assertFalse(throttler.drain(Duration.ofSeconds(Long.MAX_VALUE)));
    throttler.undelivered();
    assertTrue(throttler.drain(Duration.ofSeconds(Long.MAX_VALUE)));
  }
}
