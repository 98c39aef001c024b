package dev.pacegate.reactive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Cost;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The cases FT-n of the specification of Pekko's throttle. Its burst of 0 is a bucket that holds 1
 * and is empty at first: here waits are exact, not to a grid.
 */
class FlowThrottleTest {

  private final Bench bench = new Bench();

  @Test // FT-1
  void passesAllInOrderAndCompletes() {
    var sink = bench.sink(bench.throttle("bucket(19/1s)").apply(oneTo(5))).request(5);
    bench.advance(1_000);
    assertEquals(List.of(1, 2, 3, 4, 5), sink.elements);
    assertTrue(sink.completed);
  }

  @Test // FT-2
  void keepsARateOfOneANanosecond() {
    var sink = bench.sink(bench.throttle(drained("1/1ns")).apply(oneTo(5))).request(5);
    bench.time.advanceNanos(4);
    assertEquals(List.of(1, 2, 3, 4), sink.elements);
    bench.time.advanceNanos(1);
    assertEquals(List.of(1, 2, 3, 4, 5), sink.elements);
    assertTrue(sink.completed);
  }

  @Test // FT-3
  void keepsARateOfOneInAHundredDays() {
    var source = oneTo(5);
    var sink = bench.sink(bench.throttle("bucket(1/100d)").apply(source)).request(5);
    bench.advance(100);
    assertEquals(List.of(1), sink.elements);
    bench.time.advance(Duration.ofDays(99));
    assertEquals(List.of(1), sink.elements);
    sink.cancel();
    assertTrue(source.cancelled && bench.isQuiet());
  }

  @Test // FT-4
  void passesAllAtOnceWithoutALimit() {
    var sink = bench.sink(bench.throttle("unlimited").apply(oneTo(5))).request(5);
    assertEquals(List.of(1, 2, 3, 4, 5), sink.elements);
    assertTrue(sink.completed);
  }

  @Test // FT-5
  void streamsOfOneOperatorShareNoBucket() {
    Operator<Integer, Integer> daily = bench.enforce("bucket(1/1d)");
    for (int stream = 0; stream < 2; stream++) {
      var sink = bench.sink(daily.apply(Source.of(stream))).request(9);
      assertEquals(List.of(stream), sink.elements);
      assertTrue(sink.completed);
    }
    var published = daily.apply(Source.of(7));
    assertEquals(List.of(7), bench.sink(published).request(9).elements);
  }

  @Test // FT-6
  void emitsOnePerInterval() {
    var source = new Source<Integer>();
    var sink = bench.sink(bench.throttle(drained("1/300ms")).apply(source)).request(20);
    for (int element = 1; element <= 2; element++) {
      source.send(element);
      bench.advance(150);
      assertEquals(element - 1, sink.elements.size());
      bench.advance(150);
      assertEquals(element, sink.elements.size());
    }
    source.complete();
    assertTrue(sink.completed);
  }

  @Test // FT-7
  void emitsNothingWithoutInput() {
    var source = new Source<Integer>();
    var sink = bench.sink(bench.throttle(drained("1/300ms")).apply(source)).request(2);
    source.send(1);
    bench.advance(300);
    assertEquals(List.of(1), sink.elements);
    bench.advance(300);
    assertEquals(List.of(1), sink.elements);
    source.send(2);
    source.complete();
    assertEquals(List.of(1, 2), sink.elements);
    assertTrue(sink.completed);
  }

  @Test // FT-8
  void cancellingLeavesNothingBehind() {
    cancelsCleanly(bench.throttle(drained("1/300ms")));
  }

  @Test // FT-9
  void spacesEvenly() {
    var sink = bench.sink(bench.throttle("bucket(1/500ms)").apply(oneTo(5))).request(5);
    bench.advance(5_000);
    assertEquals(List.of(0L, 500L, 1_000L, 1_500L, 2_000L), sink.millis);
  }

  @Test // FT-10
  void regainsAFullBurst() {
    regainsItsBurst(bench.throttle("bucket(1/200ms, burst=5)"), 1_200);
  }

  @Test // FT-12
  void enforcingFailsTheStreamAboveTheBurst() {
    Operator<Integer, Integer> enforce = bench.enforce("bucket(1/200ms, burst=5)");
    var within = bench.sink(enforce.apply(oneTo(5))).request(9);
    assertEquals(List.of(1, 2, 3, 4, 5), within.elements);
    assertTrue(within.completed);
    exceeds(bench.sink(enforce.apply(oneTo(6))).request(9));
  }

  @Test // FT-13
  void enforcingPassesAStreamShapedAtTheSameRate() {
    var shaped = bench.throttle("bucket(1/100ms, burst=5)").apply(oneTo(5));
    var sink = bench.sink(bench.enforce("bucket(1/100ms, burst=5)").apply(shaped)).request(5);
    bench.advance(1_000);
    assertEquals(List.of(1, 2, 3, 4, 5), sink.elements);
    assertTrue(sink.completed);
  }

  @Test // FT-14
  void spacesCostsOfOneEvenly() {
    var sink =
        bench.sink(bench.throttle(drained("1/100ms"), e -> Cost.ONE).apply(oneTo(5))).request(5);
    bench.advance(500);
    assertEquals(List.of(100L, 200L, 300L, 400L, 500L), sink.millis);
    assertTrue(sink.completed);
  }

  @Test // FT-15
  void gapsGrowWithTheCost() {
    var source = Source.of(2, 4, 6, 8);
    var sink = bench.sink(bench.throttle(drained("2/200ms"), Bench.VALUE).apply(source)).request(4);
    bench.advance(2_000);
    assertEquals(List.of(200L, 600L, 1_200L, 2_000L), sink.millis);
    assertEquals(List.of(2, 4, 6, 8), sink.elements);
    assertTrue(sink.completed);
  }

  @Test // FT-16
  void waitsForTheTokensOfEachCost() {
    var source = new Source<Integer>();
    var sink = bench.sink(bench.throttle(drained("2/300ms"), Bench.VALUE).apply(source)).request(9);
    source.send(1);
    bench.advance(300);
    assertEquals(List.of(1), sink.elements);
    bench.advance(300);
    source.send(2);
    assertEquals(List.of(1), sink.elements);
    bench.advance(150);
    assertEquals(List.of(1, 2), sink.elements);
    source.complete();
    assertTrue(sink.completed);
  }

  @Test // FT-17
  void cancellingWithCostsLeavesNothingBehind() {
    cancelsCleanly(bench.throttle(drained("2/200ms"), Bench.VALUE));
  }

  @Test // FT-18
  void spacesEqualCostsEvenly() {
    var sink =
        bench.sink(bench.throttle("bucket(2/500ms)", e -> Cost.of(2)).apply(oneTo(5))).request(5);
    bench.advance(5_000);
    for (int i = 1; i < 5; i++) {
      assertEquals(500, sink.millis.get(i) - sink.millis.get(i - 1));
    }
    assertTrue(sink.completed);
  }

  @Test // FT-19
  void regainsAFullBurstWithCosts() {
    regainsItsBurst(bench.throttle("bucket(2/400ms, burst=5)", e -> Cost.ONE), 1_200);
  }

  @Test // FT-21
  void enforcingFailsTheStreamAboveTheBurstOfCosts() {
    Operator<Integer, Integer> enough = bench.enforce("bucket(2/200ms, burst=10)", Bench.VALUE);
    var within = bench.sink(enough.apply(oneTo(4))).request(9);
    assertEquals(List.of(1, 2, 3, 4), within.elements);
    assertTrue(within.completed);
    exceeds(bench.sink(bench.enforce(drained("2/200ms"), Bench.VALUE).apply(oneTo(6))).request(9));
  }

  @Test // FT-22
  void enforcingPassesAStreamShapedByCost() {
    var shaped = bench.throttle(drained("2/200ms"), Bench.VALUE).apply(oneTo(5));
    var sink = bench.sink(bench.enforce("bucket(1/100ms, burst=5)").apply(shaped)).request(5);
    bench.advance(2_000);
    assertEquals(List.of(1, 2, 3, 4, 5), sink.elements);
    assertTrue(sink.completed);
  }

  @Test // FT-23
  void aCostFunctionThatThrowsFailsTheStream() {
    var mine = new IllegalStateException("on purpose");
    var source = oneTo(5);
    var throttled =
        bench.throttle(
            "bucket(1/1s, burst=100)",
            element -> {
              if (element == 3) {
                throw mine;
              }
              return Cost.ONE;
            });
    var twice = bench.throttle("bucket(1/1s, burst=100)").apply(throttled.apply(source));
    var sink = bench.sink(twice).request(5);
    assertEquals(List.of(1, 2), sink.elements);
    assertSame(mine, sink.failure);
    assertTrue(source.cancelled && bench.isQuiet());
  }

  @Test // FT-29
  void streamsOfOneLimiterShareItsBucket() {
    Limiter daily = bench.limiter("bucket(1/1d)");
    var first = bench.sink(Pace.<Integer>enforce(daily).apply(oneTo(1))).request(1);
    assertTrue(first.completed);
    exceeds(bench.sink(Pace.<Integer>enforce(daily).apply(oneTo(1))).request(1));
  }

  @Test // FT-30
  void aChangedLimitHoldsForARunningStream() {
    Limiter limiter = bench.limiter("bucket(1/100ms)");
    var source = new Source<Integer>();
    var sink = bench.sink(Pace.<Integer>throttle(limiter).apply(source)).request(20);
    source.send(IntStream.rangeClosed(1, 10).boxed().toArray(Integer[]::new));
    bench.advance(899);
    assertEquals(9, sink.elements.size());
    bench.advance(1);
    assertEquals(10, sink.elements.size());

    limiter.setLimit("bucket(1/200ms)");
    source.send(IntStream.rangeClosed(11, 20).boxed().toArray(Integer[]::new));
    source.complete();
    bench.advance(1_999);
    assertEquals(19, sink.elements.size());
    bench.advance(1);
    assertEquals(20, sink.elements.size());
    assertTrue(sink.completed);
  }

  // ---- steps

  private static Source<Integer> oneTo(int last) {
    return Source.of(IntStream.rangeClosed(1, last).boxed().toArray(Integer[]::new));
  }

  private static String drained(String rate) {
    return "bucket(" + rate + ", burst=1, initial=empty)";
  }

  private void exceeds(Sink<Integer> sink) {
    var failure = assertInstanceOf(RateExceededException.class, sink.failure);
    String message = String.valueOf(failure.getMessage());
    assertTrue(message.startsWith("rate exceeded"), message);
    assertTrue(bench.isQuiet());
  }

  private void cancelsCleanly(Operator<Integer, Integer> operator) {
    var source = oneTo(10);
    var sink = bench.sink(operator.apply(source)).request(10);
    assertFalse(bench.isQuiet());
    sink.cancel();
    assertTrue(source.cancelled && bench.isQuiet());
    bench.advance(10_000);
    assertEquals(List.of(), sink.elements);
    assertNull(sink.failure);
  }

  private void regainsItsBurst(Operator<Integer, Integer> operator, long idle) {
    var source = new Source<Integer>();
    var sink = bench.sink(operator.apply(source)).request(6);
    source.send(1, 2, 3, 4, 5);
    assertEquals(5, sink.elements.size());
    source.send(6);
    bench.advance(100);
    assertEquals(5, sink.elements.size());
    bench.advance(100);
    assertEquals(6, sink.elements.size());
    sink.request(5);
    bench.advance(idle);
    assertEquals(6, sink.elements.size());
    source.send(7, 8, 9, 10, 11);
    assertEquals(List.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), sink.elements);
  }
}
