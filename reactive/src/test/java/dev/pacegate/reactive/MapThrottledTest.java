package dev.pacegate.reactive;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class MapThrottledTest {

  private final Bench bench = new Bench();
  private final Source<Integer> source = new Source<>();
  private final Map<Integer, CompletableFuture<String>> calls = new LinkedHashMap<>();
  private final List<Long> millis = new ArrayList<>();

  private CompletionStage<String> call(Integer element) {
    var stage = new CompletableFuture<String>();
    calls.put(element, stage);
    millis.add(bench.time.nanoTime() / 1_000_000);
    return stage;
  }

  private CompletableFuture<String> made(int element) {
    return requireNonNull(calls.get(element));
  }

  private void answer(int element) {
    made(element).complete("answer " + element);
  }

  private Sink<String> sink(Limiter limiter, Concurrency concurrency) {
    return bench.sink(
        Pace.<Integer, String>mapThrottled(limiter, this::call, concurrency).apply(source));
  }

  @Test
  void callsNoFasterThanTheLimitLets() {
    Limiter limiter = bench.limiter("2/1s");
    var sink = sink(limiter, Concurrency.ordered(9)).request(9);
    source.send(1, 2, 3, 4, 5);
    assertEquals(1, limiter.snapshot().waiting());
    bench.advance(2_000);
    assertEquals(List.of(0L, 0L, 1_000L, 1_000L, 2_000L), millis);
    assertEquals(List.of(), sink.elements);
  }

  @Test
  void resultsKeepTheOrderOfTheirElements() {
    var sink = sink(bench.limiter("unlimited"), Concurrency.ordered(9)).request(9);
    source.send(1, 2, 3);
    source.complete();
    answer(3);
    answer(1);
    assertEquals(List.of("answer 1"), sink.elements);
    assertFalse(sink.completed);
    answer(2);
    assertEquals(List.of("answer 1", "answer 2", "answer 3"), sink.elements);
    assertTrue(sink.completed);
  }

  @Test
  void resultsGoOnAsTheyComeIfOrderDoesNotMatter() {
    var sink = sink(bench.limiter("unlimited"), Concurrency.unordered(9)).request(9);
    source.send(1, 2, 3);
    source.complete();
    answer(3);
    answer(1);
    assertEquals(List.of("answer 3", "answer 1"), sink.elements);
    assertFalse(sink.completed);
    answer(2);
    assertTrue(sink.completed);
  }

  @Test
  void takesNoMoreThanMayBeUnderWay() {
    for (Concurrency three : List.of(Concurrency.ordered(3), Concurrency.unordered(3))) {
      calls.clear();
      var upstream = new Source<Integer>();
      var mapped =
          Pace.<Integer, String>mapThrottled(bench.limiter("unlimited"), this::call, three);
      var sink = bench.sink(mapped.apply(upstream));
      upstream.send(1, 2, 3, 4, 5);
      assertEquals(0, upstream.requested, "before downstream asks");
      sink.request(1);
      assertEquals(3, upstream.requested);
      answer(1);
      assertEquals(4, upstream.requested);
      answer(2);
      assertEquals(4, upstream.requested, "an answer waits for demand");
      assertEquals(1, sink.elements.size());
      sink.request(1);
      assertEquals(5, upstream.requested);
    }
  }

  @Test
  void thePermitEndsWithTheStage() {
    Limiter limiter = bench.limiter("concurrent(2)");
    var sink = sink(limiter, Concurrency.unordered(9)).request(9);
    source.send(1, 2, 3);
    source.complete();
    assertEquals(2, calls.size());
    assertEquals(2, limiter.snapshot().open());
    answer(2);
    assertEquals(3, calls.size());
    answer(1);
    answer(3);
    assertTrue(sink.completed);
    assertLeftNothing(limiter);
  }

  @Test
  void aStageThatFailsEndsTheStreamAtOnceAndCancelsTheOthers() {
    Limiter limiter = bench.limiter("concurrent(3)");
    var sink = sink(limiter, Concurrency.ordered(9)).request(9);
    source.send(1, 2, 3, 4);
    var mine = new IllegalStateException("on purpose");
    made(2).completeExceptionally(mine);
    assertSame(mine, sink.failure);
    assertTrue(source.cancelled);
    assertTrue(made(1).isCancelled() && made(3).isCancelled());
    assertFalse(calls.containsKey(4));
    assertLeftNothing(limiter);
  }

  @Test
  void aFailureOfADependentStageComesWithoutItsWrapper() {
    var mine = new IllegalStateException("on purpose");
    var failed = CompletableFuture.<Integer>failedFuture(mine);
    var sink = mapped(element -> failed.thenApply(done -> done + 1));
    assertSame(mine, sink.failure);
    var bare = new CompletionException(null);
    assertSame(bare, mapped(element -> CompletableFuture.failedFuture(bare)).failure);
  }

  @Test
  @SuppressWarnings("NullAway") // on purpose
  void aFunctionMayThrowOrReturnNothing() {
    var mine = new IllegalStateException("on purpose");
    var thrown =
        mapped(
            element -> {
              throw mine;
            });
    assertSame(mine, thrown.failure);
    assertInstanceOf(NullPointerException.class, mapped(element -> null).failure);
    assertInstanceOf(
        NullPointerException.class,
        mapped(element -> CompletableFuture.completedFuture(null)).failure);
  }

  private Sink<Integer> mapped(Function<Integer, CompletionStage<Integer>> function) {
    Limiter limiter = bench.limiter("concurrent(1)");
    var sink = bench.sink(Pace.mapThrottled(limiter, function).apply(Source.of(1))).request(1);
    assertLeftNothing(limiter);
    return sink;
  }

  @Test
  void upstreamsFailureCancelsWhatIsUnderWay() {
    Limiter limiter = bench.limiter("concurrent(1)");
    var sink = sink(limiter, Concurrency.ordered(9)).request(9);
    source.send(1, 2);
    var mine = new IllegalStateException("on purpose");
    source.fail(mine);
    assertSame(mine, sink.failure);
    assertTrue(made(1).isCancelled());
    assertLeftNothing(limiter);
  }

  @Test
  void cancelGivesUpThePlaceAndCancelsWhatIsUnderWay() {
    Limiter limiter = bench.limiter("1/1s & concurrent(5)");
    var sink = sink(limiter, Concurrency.ordered(9)).request(9);
    source.send(1, 2);
    assertEquals(1, limiter.snapshot().waiting());
    sink.cancel();
    assertTrue(source.cancelled);
    assertTrue(made(1).isCancelled());
    assertLeftNothing(limiter);
    bench.advance(10_000);
    assertEquals(1, calls.size());
  }

  @Test
  void aCallThatCancelsItsOwnStreamIsCancelled() {
    var sinks = new ArrayList<Sink<String>>();
    Function<Integer, CompletionStage<String>> function =
        element -> {
          if (element == 2) {
            sinks.get(0).cancel();
          }
          return call(element);
        };
    Limiter limiter = bench.limiter("1/1s & concurrent(5)");
    sinks.add(bench.sink(Pace.mapThrottled(limiter, function).apply(source)).request(9));
    source.send(1, 2);
    bench.advance(1_000);
    assertTrue(made(1).isCancelled() && made(2).isCancelled());
    assertLeftNothing(limiter);
  }

  @Test
  void aFutureThatCannotBeCancelledEndsItsPermitWhenItEnds() {
    Limiter limiter = bench.limiter("concurrent(5)");
    var under = new CompletableFuture<Integer>();
    var mapped =
        Pace.<Integer, Integer>mapThrottled(limiter, element -> under.minimalCompletionStage());
    var sink = bench.sink(mapped.apply(Source.of(1))).request(1);
    sink.cancel();
    assertEquals(1, limiter.snapshot().open());
    under.complete(1);
    assertLeftNothing(limiter);
    assertEquals(List.of(), sink.elements);
  }

  @Test
  void aRefusalOfTheLimiterFailsTheStream() {
    Limiter limiter = bench.limiter("5/1s");
    var mapped =
        Pace.<Integer, String>mapThrottled(
            limiter, Bench.VALUE, this::call, Concurrency.ordered(2));
    assertInstanceOf(
        CostTooLargeException.class, bench.sink(mapped.apply(Source.of(6))).request(1).failure);
    assertInstanceOf(
        IllegalArgumentException.class, bench.sink(mapped.apply(Source.of(-1))).request(1).failure);
    assertEquals(0, limiter.snapshot().granted());
    var sink = bench.sink(mapped.apply(Source.of(5, 5))).request(1);
    limiter.close();
    assertInstanceOf(LimiterClosedException.class, sink.failure);
    assertTrue(made(5).isCancelled());
    assertLeftNothing(limiter);
  }

  @Test
  void aMillionAnsweredAtOnceNeedNoStack() {
    for (Concurrency one : List.of(Concurrency.ordered(1), Concurrency.unordered(7))) {
      var sum = new long[1];
      var mapped =
          Pace.<Integer, Integer>mapThrottled(
              Limiter.of("unlimited"), CompletableFuture::completedFuture, one);
      reactor.core.publisher.Flux.range(0, 1_000_000)
          .transform(mapped)
          .doOnNext(element -> sum[0] += element)
          .blockLast();
      assertEquals(499_999_500_000L, sum[0]);
    }
  }

  @Test
  void badNumbersAreErrorsAtOnce() {
    assertThrows(IllegalArgumentException.class, () -> Concurrency.ordered(0));
    assertEquals(new Concurrency(3, false), Concurrency.unordered(3));
  }

  private void assertLeftNothing(Limiter limiter) {
    assertEquals(0, limiter.snapshot().waiting());
    assertEquals(0, limiter.snapshot().open());
  }
}
