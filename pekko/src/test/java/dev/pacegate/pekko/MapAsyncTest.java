package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Cost;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.ActorAttributes;
import org.apache.pekko.stream.Supervision;
import org.apache.pekko.stream.javadsl.Flow;
import org.junit.jupiter.api.Test;

/** Permits that cover the work. */
class MapAsyncTest extends StreamTest {

  private final RuntimeException failure = new IllegalStateException("no answer");
  private final Limiter limiter = limiter("peer(2/1s)");
  private final List<CompletableFuture<String>> calls = new ArrayList<>();

  private CompletableFuture<String> call(int number) {
    var answer = new CompletableFuture<String>();
    calls.add(answer);
    return answer;
  }

  private Flow<Integer, String, NotUsed> calling() {
    return Throttle.mapAsync(limiter, 4, this::call);
  }

  @Test
  void aPermitEndsWithItsCall() {
    var sink = run(numbers(3), calling(), 3);
    assertEquals(2, calls.size());
    after(5000);
    assertEquals(2, limiter.snapshot().open(), "open until the answer is in");
    calls.get(1).complete("b");
    sink.expectNoMessage(Duration.ZERO);
    calls.get(0).complete("a");
    sink.expectNext("a", "b");
    after(1000);
    assertEquals(2, calls.size(), "an interval and the margin after the end");
    after(100);
    assertEquals(3, calls.size());
    calls.get(2).complete("c");
    sink.expectNext("c").expectComplete();
  }

  @Test
  void aCostMayBeGiven() {
    var sink = run(numbers(2), Throttle.mapAsyncByCost(limiter, n -> Cost.of(2), 4, this::call), 2);
    assertEquals(1, calls.size());
    sink.cancel();
  }

  @Test
  void callsNothingMoreForAStreamThatIsCancelled() {
    var sink = run(numbers(10), calling(), 10);
    assertEquals(2, limiter.snapshot().waiting());
    sink.cancel();
    assertEquals(0, limiter.snapshot().waiting());
    assertTrue(calls.stream().allMatch(CompletableFuture::isCancelled), "cancelled too");
    time.advance(Duration.ofMinutes(5));
    assertEquals(2, calls.size());
  }

  @Test
  void noWaitingCallFollowsTheOneUnderWayWhenTheStreamIsCancelled() {
    Limiter one = limiter("concurrent(1)");
    for (int i = 1; i <= 20; i++) { // in which order they are known is by chance
      var sink = run(numbers(10), Throttle.mapAsync(one, 10, this::call), 10);
      assertEquals(9, one.snapshot().waiting());
      sink.cancel();
      assertEquals(i, calls.size());
      assertTrue(calls.get(i - 1).isCancelled());
      assertEquals(0, one.snapshot().waiting());
    }
  }

  @Test
  void callsNothingMoreForAStreamThatFails() {
    var sink = run(numbers(10), calling(), 10);
    calls.get(0).completeExceptionally(failure);
    assertSame(failure, sink.expectError());
    assertEquals(0, limiter.snapshot().waiting());
    assertEquals(2, calls.size());
  }

  @Test
  void completesAfterTheLastCall() {
    var ends = run(calling(), 10);
    ends.send(List.of(1, 2));
    ends.source().sendComplete();
    calls.get(0).complete("a");
    ends.sink().expectNext("a");
    calls.get(1).complete("b");
    ends.sink().expectNext("b").expectComplete();
  }

  @Test
  void theStrategyOfTheStreamDecidesAboutAFailedCall() {
    var resuming = ActorAttributes.withSupervisionStrategy(Supervision.getResumingDecider());
    var sink = run(numbers(2), calling().withAttributes(resuming), 2);
    calls.get(0).completeExceptionally(failure);
    calls.get(1).complete("b");
    sink.expectNext("b").expectComplete();
  }

  @Test
  void materialisationsCancelTheirOwnCallsOnly() {
    var flow = calling();
    var first = run(numbers(1), flow, 1);
    var second = run(numbers(1), flow, 1);
    first.cancel();
    calls.get(1).complete("b");
    second.expectNext("b").expectComplete();
  }

  @Test
  void noneAtOnceIsAMistake() {
    BatchesTest.assertMistake(
        "parallelism must be at least 1: 0", () -> Throttle.mapAsync(limiter, 0, this::call));
  }

  @Test
  void aStageThatTakesNoCallbackFailsTheStreamAndEndsThePermit() {
    var deaf =
        new CompletableFuture<String>() {
          @Override
          public CompletableFuture<String> whenComplete(
              BiConsumer<? super String, ? super Throwable> action) {
            throw failure;
          }
        };
    var sink = run(numbers(1), Throttle.<Integer, String>mapAsync(limiter, 1, n -> deaf), 1);
    assertSame(failure, sink.expectError());
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  void aFunctionThatFailsFailsTheStream() {
    Flow<Integer, String, NotUsed> failing =
        Throttle.mapAsync(
            limiter,
            1,
            number -> {
              throw failure;
            });
    assertSame(failure, run(numbers(1), failing, 1).expectError());
  }
}
