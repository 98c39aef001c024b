package dev.pacegate.reactive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.Permit;
import dev.pacegate.WaitQueueFullException;
import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.LimitFormatException;
import dev.pacegate.limit.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/** How a throttled stream ends, and how streams that share a limiter get along. */
class ThrottleTest {

  private final Bench bench = new Bench();
  private final Source<Integer> source = new Source<>();

  // ---- ends

  @Test
  void completionWaitsForTheElementThatIsHeld() {
    var sink = bench.sink(bench.throttle("1/1s").apply(source)).request(9);
    source.send(1, 2);
    source.complete();
    assertFalse(sink.completed);
    bench.advance(999);
    assertEquals(List.of(1), sink.elements);
    bench.advance(1);
    assertEquals(List.of(1, 2), sink.elements);
    assertTrue(sink.completed);
  }

  @Test
  void completionWithoutElementsNeedsNoDemand() {
    var sink = bench.sink(bench.throttle("1/1s").apply(source));
    source.complete();
    assertTrue(sink.completed);
  }

  @Test
  void failureComesAtOnceAndLosesOnlyTheElementThatIsHeld() {
    Limiter limiter = bench.limiter("1/1s");
    var sink = bench.sink(Pace.<Integer>throttle(limiter).apply(source)).request(9);
    source.send(1, 2);
    assertEquals(1, limiter.snapshot().waiting());
    var failure = new IllegalStateException("on purpose");
    source.fail(failure);
    assertSame(failure, sink.failure);
    assertLeftNothing(limiter, 1);
    bench.advance(10_000);
    assertEquals(List.of(1), sink.elements);
  }

  @Test
  void anElementThatNeedNotWaitIsNotLostThoughTheFailureComesWithIt() {
    var failure = new IllegalStateException("on purpose");
    Flux<Integer> upstream = Flux.just(1, 2).concatWith(Flux.error(failure));
    for (var operator : List.of(bench.throttle("2/1s"), bench.enforce("2/1s"))) {
      var sink = bench.sink(upstream.transform(operator)).request(9);
      assertEquals(List.of(1, 2), sink.elements);
      assertSame(failure, sink.failure);
    }
    var late = bench.sink(upstream.transform(bench.throttle("1/1s"))).request(9);
    assertEquals(List.of(1), late.elements);
    assertSame(failure, late.failure);
    assertTrue(bench.isQuiet());
  }

  @Test
  void cancelGivesUpThePlaceSoThatOthersAdvance() {
    Limiter limiter = bench.limiter("1/1s");
    Operator<Integer, Integer> throttle = Pace.throttle(limiter);
    var first = bench.sink(throttle.apply(Source.of(1, 2))).request(9);
    var second = bench.sink(throttle.apply(Source.of(3))).request(9);
    assertEquals(2, limiter.snapshot().waiting());
    first.cancel();
    assertEquals(1, limiter.snapshot().waiting());
    bench.advance(1_000);
    assertEquals(List.of(1), first.elements);
    assertEquals(List.of(3), second.elements);
    assertLeftNothing(limiter, 2);
  }

  @Test
  void aLimiterOfOneSubscriptionIsClosedAtItsEnd() {
    var made = new ArrayList<Limiter>();
    var limiters =
        LimiterSource.owning(
            () -> {
              made.add(bench.limiter("1/1s"));
              return made.get(made.size() - 1);
            });
    Operator<Integer, Integer> throttle = Pace.throttle(limiters, Bench.ONE);
    bench.sink(throttle.apply(Source.of(1))).request(1);
    bench.sink(throttle.apply(source)).cancel();
    bench.sink(Pace.enforce(limiters, Bench.ONE).apply(Source.of(1))).request(1);
    assertEquals(3, made.size());
    for (Limiter limiter : made) {
      assertThrows(LimiterClosedException.class, limiter::tryAcquire);
    }
  }

  @Test
  void aLimiterThatIsSharedIsNot() {
    Limiter limiter = bench.limiter("2/1s");
    bench.sink(Pace.throttle(limiter).apply(Source.of(1))).request(1);
    assertTrue(limiter.tryAcquire().isPresent());
  }

  @Test
  void aLimiterClosedWhileAnElementWaitsIsAFailure() {
    Limiter limiter = bench.limiter("1/1s");
    var sink = bench.sink(Pace.<Integer>throttle(limiter).apply(source)).request(9);
    source.send(1, 2);
    limiter.close();
    assertInstanceOf(LimiterClosedException.class, sink.failure);
    assertTrue(source.cancelled && bench.isQuiet());
  }

  @Test
  void aLimiterThatLetsNoCallerWaitIsAFailureOnceAnElementMust() {
    Limiter limiter = Limiter.builder("1/1s").time(bench.time).maxWaiting(0).build();
    var sink = bench.sink(Pace.<Integer>throttle(limiter).apply(source)).request(9);
    source.send(1, 2);
    assertEquals(List.of(1), sink.elements);
    assertInstanceOf(WaitQueueFullException.class, sink.failure);
    assertTrue(source.cancelled && bench.isQuiet());
  }

  // ---- costs

  @Test
  void aCostThatCanNeverPassIsAFailure() {
    Limiter limiter = bench.limiter("5/1s");
    var sink = bench.sink(Pace.throttle(limiter, Bench.VALUE).apply(source)).request(9);
    source.send(5, 6);
    assertEquals(List.of(5), sink.elements);
    assertInstanceOf(CostTooLargeException.class, sink.failure);
    assertTrue(source.cancelled);
    assertLeftNothing(limiter, 1);
  }

  @Test
  void aCostThatIsNotCountedIsAFailure() {
    Limiter spaced = bench.limiter("spacing(1s)");
    List<Operator<Integer, Integer>> operators =
        List.of(
            Pace.throttle(spaced, element -> Cost.of(2)),
            Pace.enforce(spaced, element -> Cost.of(2)),
            Pace.mapThrottled(
                spaced,
                element -> Cost.of(2),
                CompletableFuture::completedFuture,
                Concurrency.ordered(4)));
    for (Operator<Integer, Integer> operator : operators) {
      var sink = bench.sink(operator.apply(Source.of(1))).request(9);
      assertInstanceOf(IllegalArgumentException.class, sink.failure);
      assertEquals(List.of(), sink.elements);
    }
    assertEquals(0, spaced.snapshot().granted());
  }

  @Test
  void costsThatAreNoneAreFailuresAndChargeNothing() {
    Stream<Function<Integer, Cost>> bad =
        Stream.of(e -> Cost.of(-1), e -> Cost.sum(2, 2), e -> Cost.none());
    bad.forEach(
        cost -> {
          Limiter limiter = bench.limiter("5/1s");
          var sink = bench.sink(Pace.throttle(limiter, cost).apply(Source.of(1))).request(1);
          assertInstanceOf(IllegalArgumentException.class, sink.failure);
          assertLeftNothing(limiter, 0);
        });
  }

  @Test
  @SuppressWarnings("NullAway") // on purpose
  void aCostThatIsNullIsAFailure() {
    Limiter limiter = bench.limiter("5/1s");
    var sink = bench.sink(Pace.<Integer>throttle(limiter, e -> null).apply(source)).request(1);
    source.send(1);
    assertInstanceOf(NullPointerException.class, sink.failure);
    assertTrue(source.cancelled);
  }

  @Test
  void enforcingTellsThatACostCanNeverPass() {
    var sink = bench.sink(bench.enforce("5/1s", Bench.VALUE).apply(Source.of(6))).request(1);
    var failure = assertInstanceOf(RateExceededException.class, sink.failure);
    assertTrue(String.valueOf(failure.getMessage()).startsWith("can never pass"));
    assertInstanceOf(CostTooLargeException.class, failure.getCause());
  }

  @Test
  void enforcingIsCountedAsRefusedAndShapingIsNot() {
    Limiter limiter = bench.limiter("1/1s");
    bench.sink(Pace.<Integer>throttle(limiter).apply(Source.of(1, 2))).request(2);
    bench.advance(1_000);
    assertEquals(0, limiter.snapshot().refused());
    var sink = bench.sink(Pace.<Integer>enforce(limiter).apply(Source.of(3))).request(1);
    assertEquals(1, limiter.snapshot().refused());
    assertEquals(
        "rate exceeded: limiter 1/1s lets a cost of 1 through in 1s or later",
        sink.failure == null ? "" : sink.failure.getMessage());
  }

  // ---- shared, and changed while elements wait

  @Test
  void twoStreamsNeverPassMoreThanTheirCommonLimit() {
    Limiter limiter = bench.limiter("10/1s");
    Operator<Integer, Integer> throttle = Pace.throttle(limiter);
    var instants = new ArrayList<Long>();
    var sinks = new ArrayList<Sink<Integer>>();
    for (int stream = 0; stream < 2; stream++) {
      var numbers = IntStream.range(0, 100).boxed().toArray(Integer[]::new);
      sinks.add(bench.sink(throttle.apply(Source.of(numbers))).request(100));
    }
    for (int tick = 0; tick < 2_000; tick++) {
      bench.advance(10);
    }
    for (Sink<Integer> sink : sinks) {
      assertTrue(sink.completed);
      instants.addAll(sink.millis);
    }
    var audit = Audit.of(Limits.parse("10/1s"));
    instants.stream().sorted().forEach(millis -> audit.add(millis * 1_000_000));
    assertTrue(audit.report().kept(), audit.report().text());
    assertEquals(200, instants.size());
    assertEquals(19_000, instants.stream().mapToLong(millis -> millis).max().orElse(0));
    assertTrue(sinks.get(1).millis.get(0) < 2_000, "one stream starves the other");
  }

  @Test
  void aChangedLimitRetimesFiveWhoWaitWithoutAFreeBurst() {
    Limiter limiter = bench.limiter("1/10s");
    Operator<Integer, Integer> throttle = Pace.throttle(limiter);
    var sinks = new ArrayList<Sink<Integer>>();
    for (int stream = 0; stream < 6; stream++) {
      sinks.add(bench.sink(throttle.apply(Source.of(stream))).request(1));
    }
    assertEquals(5, limiter.snapshot().waiting());
    bench.advance(1_000);
    limiter.setLimit("1/2s");
    bench.advance(60_000);
    var millis = sinks.stream().map(sink -> sink.millis.get(0)).toList();
    assertEquals(List.of(0L, 2_000L, 4_000L, 6_000L, 8_000L, 10_000L), millis);
  }

  @Test
  void aPauseHoldsUpAnElementThatWaits() {
    Limiter limiter = bench.limiter("1/1s");
    var sink = bench.sink(Pace.throttle(limiter).apply(Source.of(1, 2))).request(2);
    limiter.pause();
    bench.advance(5_000);
    assertEquals(List.of(1), sink.elements);
    limiter.resume();
    assertEquals(List.of(1, 2), sink.elements);
  }

  @Test
  void aPermitEndsWhenDownstreamHasTakenTheElement() {
    Limiter limiter = bench.limiter("unlimited");
    var open = new ArrayList<Integer>();
    var sink =
        new Sink<Integer>(bench.time) {
          @Override
          public void onNext(Integer element) {
            open.add(limiter.snapshot().open());
          }
        };
    Pace.<Integer>throttle(limiter).apply(Source.of(1, 2, 3)).subscribe(sink);
    limiter.setLimit("concurrent(1)");
    sink.request(3);
    assertEquals(List.of(1, 1, 1), open);
    assertLeftNothing(limiter, 3);
  }

  @Test
  void aPermitThatAnotherGivesBackIsTheNextElements() {
    Limiter limiter = bench.limiter("unlimited");
    Operator<Integer, Integer> throttle = Pace.throttle(limiter);
    limiter.setLimit("concurrent(1)");
    Permit other = limiter.tryAcquire().orElseThrow();
    var sink = bench.sink(throttle.apply(Source.of(1))).request(1);
    assertEquals(List.of(), sink.elements);
    other.answered();
    assertEquals(List.of(1), sink.elements);
    assertLeftNothing(limiter, 2);
  }

  @Test
  void textThatIsNoLimitIsAnErrorAtOnce() {
    assertThrows(LimitFormatException.class, () -> Pace.throttle("10 per minute"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "peer(10/1s)",
        "peer(10/1s, counted=1s)",
        "concurrent(1)",
        "10/1s & concurrent(4)",
        "aligned(10/1m)"
      })
  void aLimitThatNeedsTheAnswerIsRefused(String text) {
    assertRefused(text, bench.limiter(text));
    assertRefused(text, () -> Pace.throttle(text));
    assertRefused(text, () -> Pace.throttle(Limits.parse(text)));
    assertRefused(text, () -> Pace.enforce(Limits.parse(text)));
    try (KeyedLimiter<String> keyed = KeyedLimiter.builder("100/1s").within(text).build()) {
      assertRefused(text, keyed.limiter("a"));
    }
    try (KeyedLimiter<String> keyed = KeyedLimiter.builder(text).within("100/1s").build()) {
      assertRefused(text, keyed.limiter("a"));
    }
  }

  private static void assertRefused(String limit, Limiter limiter) {
    assertRefused(limit, () -> Pace.throttle(limiter));
    assertRefused(limit, () -> Pace.enforce(limiter));
    assertRefused(limit, () -> Pace.throttleLatest(limiter));
    assertRefused(limit, () -> Pace.pacedBatches(limiter, Batching.ofAtMost(2)));
  }

  private static void assertRefused(String limit, Runnable construction) {
    var refused = assertThrows(IllegalArgumentException.class, construction::run);
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.startsWith(Limits.parse(limit) + " counts an element until it is"), message);
  }

  private void assertLeftNothing(Limiter limiter, long granted) {
    var now = limiter.snapshot();
    assertEquals(0, now.waiting());
    assertEquals(0, now.open());
    assertEquals(granted, now.granted());
    assertTrue(bench.isQuiet());
  }
}
