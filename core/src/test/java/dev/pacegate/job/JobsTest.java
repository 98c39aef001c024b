package dev.pacegate.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.WaitTooLongException;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Outcome;
import dev.pacegate.time.ManualTime;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Jobs run under a permit, and the permit ends as the outcome says. */
class JobsTest {

  private final ManualTime time = ManualTime.manual();

  /** One in any second as the peer counts, so that how a permit ended shows in the next wait. */
  private final Limiter limiter = limiter("peer(1/1s, margin=0s, unanswered=10s)");

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  private Duration nextWait() {
    return limiter.estimateWait(1);
  }

  @Test
  void aResultEndsThePermitAsAnswered() throws Exception {
    String answer = limiter.call(() -> "answer");
    assertEquals("answer", answer);
    assertEquals(0, limiter.snapshot().open());
    assertEquals(Duration.ofSeconds(1), nextWait());
  }

  @Test
  void theEndCountsNotTheStart() throws Exception {
    limiter.run(() -> time.advance(Duration.ofSeconds(5)));
    assertEquals(Duration.ofSeconds(1), nextWait());
  }

  @Test
  void aRefusedConnectionGivesThePermitBack() {
    assertThrows(ConnectException.class, () -> limiter.call(this::refused));
    assertEquals(Duration.ZERO, nextWait());
  }

  private String refused() throws IOException {
    throw new ConnectException("refused");
  }

  @Test
  void aTimeOutLeavesThePermitSpentUntilThePeerCanNoLongerCount() {
    assertThrows(
        SocketTimeoutException.class,
        () ->
            limiter.run(
                () -> {
                  throw new SocketTimeoutException();
                }));
    assertEquals(0, limiter.snapshot().open());
    assertEquals(Duration.ofSeconds(11), nextWait());
  }

  @Test
  void anOpinionOfTheJobIsAnAnswer() {
    assertThrows(
        IllegalStateException.class,
        () ->
            limiter.run(
                () -> {
                  throw new IllegalStateException("status 400");
                }));
    assertEquals(Duration.ofSeconds(1), nextWait());
  }

  @Test
  void aTimeOutInsideAnotherExceptionIsLostToo() {
    assertThrows(
        RuntimeException.class,
        () ->
            limiter.run(
                () -> {
                  throw new RuntimeException(new SocketTimeoutException());
                }));
    assertEquals(Duration.ofSeconds(11), nextWait());
  }

  @Test
  void theClassificationCanBeReplaced() {
    Limiter own =
        Limiter.builder("peer(1/1s)").time(time).classifier(failure -> Outcome.NOT_SENT).build();
    assertThrows(
        TimeoutException.class,
        () ->
            own.run(
                () -> {
                  throw new TimeoutException();
                }));
    assertEquals(Duration.ZERO, own.estimateWait(1));
  }

  @Test
  void aClassifierThatFailsMakesThePermitLost() {
    Limiter own =
        Limiter.builder("peer(1/1s, margin=0s, unanswered=10s)")
            .time(time)
            .classifier(
                failure -> {
                  throw new IllegalArgumentException("no idea");
                })
            .build();
    var thrown =
        assertThrows(
            TimeoutException.class,
            () ->
                own.run(
                    () -> {
                      throw new TimeoutException();
                    }));
    assertEquals("no idea", thrown.getSuppressed()[0].getMessage());
    assertEquals(Duration.ofSeconds(11), own.estimateWait(1));
  }

  @Test
  void aJobIsNotRunIfTheWaitWouldBeTooLong() throws Exception {
    limiter.call(() -> "first");
    var refused =
        assertThrows(
            WaitTooLongException.class,
            () -> limiter.call(Cost.ONE, Duration.ofMillis(999), () -> "second"));
    assertEquals(Duration.ofSeconds(1), refused.atLeast());
  }

  @Test
  void anAsynchronousJobRunsAtOnceIfItMay() throws Exception {
    var stage = new CompletableFuture<String>();
    CompletableFuture<String> call = limiter.callAsync(() -> stage);
    assertEquals(1, limiter.snapshot().open());
    time.advance(Duration.ofSeconds(3));
    stage.complete("answer");
    assertEquals("answer", call.get(1, TimeUnit.SECONDS));
    assertEquals(0, limiter.snapshot().open());
    assertEquals(Duration.ofSeconds(1), nextWait());
  }

  @Test
  void anAsynchronousJobIsStartedWhenItsTurnComes() throws Exception {
    limiter.run(() -> {});
    CompletableFuture<Long> call =
        limiter.callAsync(() -> CompletableFuture.completedFuture(time.nanoTime()));
    assertFalse(call.isDone());
    time.advance(Duration.ofSeconds(1));
    assertEquals(1_000_000_000L, call.get(1, TimeUnit.SECONDS));
  }

  @Test
  void anAsynchronousFailureEndsThePermitAsItSays() {
    CompletableFuture<String> call =
        limiter.callAsync(() -> CompletableFuture.failedFuture(new ConnectException()));
    assertInstanceOf(
        ConnectException.class, assertThrows(ExecutionException.class, call::get).getCause());
    assertEquals(Duration.ZERO, nextWait());
  }

  @Test
  void anAsynchronousJobThatThrowsEndsItsPermit() {
    Supplier<CompletionStage<String>> job =
        () -> {
          throw new IllegalStateException("no stage");
        };
    CompletableFuture<String> call = limiter.callAsync(job);
    assertTrue(call.isCompletedExceptionally());
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  void cancellingGivesUpThePlaceInLine() throws Exception {
    limiter.run(() -> {});
    CompletableFuture<String> call =
        limiter.callAsync(
            () -> {
              throw new AssertionError("must not run");
            });
    assertEquals(1, limiter.snapshot().waiting());
    assertTrue(call.cancel(true));
    assertEquals(0, limiter.snapshot().waiting());
    time.advance(Duration.ofSeconds(1));
    assertEquals(Duration.ZERO, nextWait());
  }

  @Test
  void cancellingPassesOnToTheJobAndThePermitEndsWithIt() {
    var stage = new CompletableFuture<String>();
    CompletableFuture<String> call = limiter.callAsync(() -> stage);
    assertTrue(call.cancel(true));
    assertTrue(stage.isCancelled());
    assertEquals(0, limiter.snapshot().open());
    assertEquals(Duration.ofSeconds(11), nextWait(), "lost: the peer may yet count it");
  }

  @Test
  void aTimeOutOnTheResultPassesOnToo() {
    var stage = new CompletableFuture<String>();
    CompletableFuture<String> call = limiter.callAsync(() -> stage);
    call.completeExceptionally(new TimeoutException());
    assertTrue(stage.isCancelled());
  }

  @Test
  void aPermitStaysOpenAsLongAsAJobThatCannotBeCancelled() {
    var stage = new CompletableFuture<String>();
    CompletableFuture<String> call = limiter.callAsync(stage::minimalCompletionStage);
    call.cancel(true);
    assertEquals(1, limiter.snapshot().open());
    stage.complete("at last");
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  void anAsynchronousRefusalFailsTheResult() {
    limiter.close();
    CompletableFuture<String> call =
        limiter.callAsync(() -> CompletableFuture.completedFuture("never"));
    var failure = assertThrows(ExecutionException.class, call::get);
    assertInstanceOf(LimiterClosedException.class, failure.getCause());
  }

  @Test
  void theCallerGetsTheJobsOwnException() {
    var failure = new IOException("its own");
    assertSame(
        failure,
        assertThrows(
            IOException.class,
            () ->
                limiter.call(
                    () -> {
                      throw failure;
                    })));
  }
}
