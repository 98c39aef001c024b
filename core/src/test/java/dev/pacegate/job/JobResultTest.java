package dev.pacegate.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.dispatch.ThrottledExecutorService;
import dev.pacegate.time.ManualTime;
import io.reactivex.rxjava3.core.CompletableSource;
import io.reactivex.rxjava3.core.MaybeSource;
import io.reactivex.rxjava3.core.ObservableSource;
import io.reactivex.rxjava3.core.SingleSource;
import io.smallrye.mutiny.Uni;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import kotlinx.coroutines.Deferred;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;

/** What becomes of a permit whose job hands back something that is not the answer yet. */
class JobResultTest {

  private static final Duration AFTER_AN_ANSWER = Duration.ofSeconds(1);
  private static final Duration AFTER_A_LOSS = Duration.ofSeconds(11);

  private final ManualTime time = ManualTime.manual();
  private final Limiter limiter = limiter("peer(1/1s, margin=0s, unanswered=10s)");

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  @Test
  void thePermitEndsWithTheStage() throws Exception {
    var answer = new CompletableFuture<String>();
    assertSame(answer, limiter.call(() -> answer), "at once");
    assertEquals(1, limiter.snapshot().open());
    answer.complete("answer");
    assertEquals(0, limiter.snapshot().open());
    assertEquals(AFTER_AN_ANSWER, limiter.estimateWait(1));
  }

  @Test
  void aStageThatFailsIsClassified() throws Exception {
    var answer = new CompletableFuture<String>();
    var unused = limiter.call(() -> answer);
    answer.completeExceptionally(new SocketTimeoutException());
    assertEquals(AFTER_A_LOSS, limiter.estimateWait(1));
  }

  @Test
  void aStageThatIsCancelledIsLost() throws Exception {
    limiter.call(() -> new CompletableFuture<String>()).cancel(true);
    assertEquals(AFTER_A_LOSS, limiter.estimateWait(1));
  }

  @Test
  void aKeysPermitEndsWithTheStageToo() throws Exception {
    KeyedLimiter<String> keyed =
        KeyedLimiter.builder("concurrent(1)").within(limiter("10/1s")).build();
    CompletableFuture<String> answer = keyed.call("a", () -> new CompletableFuture<String>());
    assertTrue(keyed.tryAcquire("a").isEmpty());
    answer.complete("answer");
    assertTrue(keyed.tryAcquire("a").isPresent());
  }

  static Stream<Object> publishers() {
    return Stream.of(
        (Flow.Publisher<String>) subscriber -> {},
        new Publisher() {},
        new kotlinx.coroutines.flow.Flow() {},
        new ObservableSource() {},
        new SingleSource() {},
        new MaybeSource() {},
        new CompletableSource() {},
        new Uni() {});
  }

  static Stream<Object> futures() {
    return Stream.of(
        new FutureTask<>(() -> "answer"), new Deferred() {}, new scala.concurrent.Future() {});
  }

  @ParameterizedTest
  @MethodSource("futures")
  void aFutureIsRefusedAndNamesTheVerb(Object future) {
    assertRefused(future, "callAsync");
  }

  @ParameterizedTest
  @MethodSource("publishers")
  void aPublisherIsRefusedAndNamesTheVerb(Object publisher) {
    assertRefused(publisher, "Pace.mapThrottled");
  }

  private void assertRefused(Object result, String verb) {
    var refused = assertThrows(IllegalStateException.class, () -> limiter.call(() -> result));
    assertTrue(refused.toString().contains(verb), refused.toString());
    assertEquals(0, limiter.snapshot().open());
    assertEquals(AFTER_A_LOSS, limiter.estimateWait(1), "the permit is lost");
  }

  @Test
  void aKeysJobIsRefusedAsWell() {
    KeyedLimiter<String> keyed = KeyedLimiter.of("concurrent(1)");
    assertThrows(
        IllegalStateException.class, () -> keyed.call("a", () -> new FutureTask<>(() -> "answer")));
    assertEquals(0, keyed.all().snapshot().open());
  }

  @ParameterizedTest
  @MethodSource({"futures", "publishers"})
  void anExecutorPassesOnWhateverATaskReturnsAndLosesThePermit(Object result) throws Exception {
    var executor = ThrottledExecutorService.of(limiter, Runnable::run);
    assertSame(result, executor.submit(() -> result).get());
    assertEquals(0, limiter.snapshot().open());
    assertEquals(AFTER_A_LOSS, limiter.estimateWait(1));
  }
}
