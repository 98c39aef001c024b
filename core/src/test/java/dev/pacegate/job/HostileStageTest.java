package dev.pacegate.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.dispatch.ThrottledExecutorService;
import dev.pacegate.dispatch.Throttler;
import dev.pacegate.limit.Outcome;
import dev.pacegate.time.ManualTime;
import dev.pacegate.waiting.Crew;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Whatever a stage of user code does, its caller learns the end and the permit ends, once. */
class HostileStageTest {

  private final ManualTime time = ManualTime.manual();
  private final Limiter limiter =
      Limiter.builder("peer(1/1s, margin=0s, unanswered=10s)")
          .time(time)
          .executor(Runnable::run)
          .build();

  private void assertEnded(HostileStage kind) {
    assertEquals(0, limiter.snapshot().open());
    assertEquals(0, limiter.snapshot().waiting());
    Duration wait = Duration.ofSeconds(kind.outcome() == Outcome.ANSWERED ? 1 : 11);
    assertEquals(wait, limiter.estimateWait(1));
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "NEVER_ENDS")
  void anAsynchronousCallEnds(HostileStage kind) {
    CompletableFuture<String> call = limiter.callAsync(kind::stage);
    assertTrue(call.isDone());
    assertEquals(kind.outcome() == Outcome.LOST, call.isCompletedExceptionally());
    assertEnded(kind);
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "NEVER_ENDS")
  void anAsynchronousCallEndsThatHadToWait(HostileStage kind) {
    Permit before = Crew.spend(limiter);
    CompletableFuture<String> call = limiter.callAsync(kind::stage);
    before.notSent();
    assertTrue(call.isDone());
    assertEquals(kind.outcome() == Outcome.LOST, call.isCompletedExceptionally());
    assertEnded(kind);
  }

  @Test
  void anAsynchronousCallWhoseStageNeverEndsMayBeCancelled() {
    CompletableFuture<String> call = limiter.callAsync(HostileStage.NEVER_ENDS::stage);
    assertTrue(call.cancel(true));
    assertEquals(1, limiter.snapshot().open(), "the request is under way");
  }

  /** As by a time-out that comes while the job is being started. */
  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "NEVER_ENDS")
  void anAsynchronousCallThatItsJobCancelsEndsItsPermit(HostileStage kind) {
    Permit before = Crew.spend(limiter);
    var call = new ArrayList<CompletableFuture<String>>();
    call.add(
        limiter.callAsync(
            () -> {
              call.get(0).cancel(true);
              return kind.stage();
            }));
    before.notSent();
    assertTrue(call.get(0).isCancelled());
    assertEnded(kind);
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "NEVER_ENDS")
  void aCallEndsItsPermit(HostileStage kind) throws Exception {
    CompletionStage<String> stage = kind.stage();
    @Nullable Throwable thrown = null;
    try {
      var unused = limiter.call(() -> stage);
    } catch (Throwable failure) {
      thrown = failure;
    }
    boolean deaf = kind.name().endsWith("_LISTENED_TO");
    assertEquals(deaf, thrown != null, () -> "thrown is what keeps the end unknown");
    assertEnded(kind);
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "NEVER_ENDS")
  void anExecutorEndsThePermitOfItsTask(HostileStage kind) throws Exception {
    ThrottledExecutorService executor = ThrottledExecutorService.of(limiter, Runnable::run);
    CompletionStage<String> stage = kind.stage();
    assertTrue(executor.submit(() -> stage).get() == stage);
    assertEnded(kind);
    executor.shutdown();
    assertTrue(executor.awaitTermination(0, TimeUnit.SECONDS));
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "NEVER_ENDS")
  void aThrottlerEndsItsMessageOnce(HostileStage kind) throws Exception {
    var failed = new ArrayList<String>();
    Throttler<String> throttler =
        Throttler.<String>builder(limiter)
            .executor(Runnable::run)
            .onFailure((message, failure) -> failed.add(message))
            .build();
    throttler.targetAsync(message -> kind.stage());
    throttler.send("1");
    assertTrue(throttler.drain(Duration.ZERO));
    assertEquals(kind.outcome() == Outcome.LOST ? List.of("1") : List.of(), failed);
    assertEnded(kind);
    time.advance(limiter.estimateWait(1));
    throttler.targetAsync(message -> HostileStage.NEVER_ENDS.stage());
    throttler.send("2");
    assertFalse(throttler.drain(Duration.ZERO), "a message counted twice is missing here");
  }
}
