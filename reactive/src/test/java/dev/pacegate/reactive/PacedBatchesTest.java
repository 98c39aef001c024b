package dev.pacegate.reactive;

import static dev.pacegate.reactive.Rig.interval;
import static dev.pacegate.reactive.Rig.limiter;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.Limiter;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;

class PacedBatchesTest {

  private final ManualTime time = ManualTime.manual();

  private Rig<Integer, List<Integer>> rig(Interval gap, Batching<Integer> batching) {
    return new Rig<>(time, Pace.pacedBatches(gap, batching));
  }

  private Rig<Integer, List<Integer>> rig(int gap, int maxCount) {
    return rig(interval(time, gap), Batching.ofAtMost(maxCount));
  }

  /** Nothing but what is gathered decides, as in other libraries' groupedWithin. */
  private Rig<Integer, List<Integer>> grouped(Batching<Integer> batching) {
    return new Rig<>(time, Pace.pacedBatches(limiter(time, "unlimited"), batching));
  }

  @ParameterizedTest(name = "IR-{0}: {1} per {2} ms, {3} elements")
  @CsvSource({
    "1, 1, 500, 6",
    "2, 10, 100, 300",
    "3, 20, 100, 600",
    "4, 200, 1000, 600",
    "5, 200, 100, 6000",
    "6, 2000, 1000, 6000",
    "7, 50000, 1000, 150000",
  })
  void aFastSourceGoesInFullBatchesAGapApart(int id, int maxCount, int gap, int count) {
    var sink = new Kept<List<Integer>>(time, Long.MAX_VALUE);
    Operator<Integer, List<Integer>> operator =
        Pace.pacedBatches(interval(time, gap), Batching.ofAtMost(maxCount));
    operator.apply(Flux.range(1, count)).subscribe(sink);
    while (time.advanceToNext()) {}
    assertTrue(sink.completed);
    assertEquals(IntStream.rangeClosed(1, count).boxed().toList(), flat(sink));
    int batches = sink.elements.size();
    assertTrue(
        batches == count / maxCount || batches == count / maxCount + 1, batches + " batches");
    assertTrue(sink.elements.stream().allMatch(batch -> batch.size() <= maxCount));
    assertGaps(sink, gap);
  }

  @Test // IR-8: 1 per 100 ms, and the source is slower
  void aSlowSourceIsNotHeldUp() {
    var rig = rig(100, 1);
    for (int i = 0; i < 10; i++) {
      rig.send(i);
      assertEquals(i + 1, rig.sink.elements.size(), "at once");
      rig.pass(300);
    }
    assertGaps(rig.sink, 100);
  }

  @Test
  void theFirstAfterIdlenessGoesAtOnceAndTheNextGatherForAGap() {
    var rig = rig(100, 10);
    rig.pass(1_000).send(1).send(2).pass(50).send(3).pass(49);
    assertEquals(List.of(List.of(1)), rig.sink.elements);
    rig.pass(1).pass(1_000).send(4).send(5, 6).pass(100);
    assertEquals(List.of(List.of(1), List.of(2, 3), List.of(4), List.of(5, 6)), rig.sink.elements);
    assertEquals(List.of(1_000L, 1_100L, 2_100L, 2_200L), rig.sink.millis());
  }

  @Test
  void aGapThatIsNotEagerComesBeforeTheFirstToo() {
    var rig = rig(interval(time, 100).eager(false), Batching.ofAtMost(10));
    rig.pass(1_000).send(1, 2).pass(99);
    assertEquals(List.of(), rig.sink.elements);
    rig.pass(1);
    assertEquals(List.of(List.of(1, 2)), rig.sink.elements);
  }

  @Test
  void neverAsksForMoreThanOneBatch() {
    var rig = rig(100, 10);
    assertEquals(10, rig.source.requested.get());
    rig.send(1);
    assertEquals(10, rig.source.requested.get());
    rig.send(2, 3, 4);
    assertEquals(7, rig.source.requested.get());
    rig.pass(100);
    assertEquals(10, rig.source.requested.get());
  }

  @Test
  void waitsForDemandAndGathersMeanwhile() {
    var rig =
        new Rig<>(time, Pace.<Integer>pacedBatches(interval(time, 100), Batching.ofAtMost(3)), 1);
    rig.send(1).send(2).pass(1_000).send(3, 4);
    assertEquals(0, rig.source.requested.get());
    rig.sink.subscription.request(1);
    assertEquals(List.of(List.of(1), List.of(2, 3, 4)), rig.sink.elements);
  }

  @Test
  void aBatchCostsWhatItHolds() {
    Limiter shared = limiter(time, "4/1s");
    var batching = Batching.<Integer>ofAtMost(3).costing(batch -> Cost.of(batch.size()));
    var rig = new Rig<>(time, Pace.<Integer>pacedBatches(shared, batching), 1);
    rig.send(1).send(2, 3, 4);
    rig.sink.subscription.request(10);
    rig.send(5).send(6, 7);
    assertEquals(List.of(List.of(1), List.of(2, 3, 4)), rig.sink.elements);
    rig.pass(1_000); // 5 had asked before the others came
    assertEquals(
        List.of(List.of(1), List.of(2, 3, 4), List.of(5), List.of(6, 7)), rig.sink.elements);
    rig.assertNothingLeft(shared);
  }

  @Test
  void aBatchThatCanNeverPassFailsTheStream() {
    Limiter shared = limiter(time, "2/1s");
    var batching = Batching.<Integer>ofAtMost(3).costing(batch -> Cost.of(batch.size()));
    var rig = new Rig<>(time, Pace.<Integer>pacedBatches(shared, batching), 1);
    rig.send(1).send(2, 3, 4);
    rig.sink.subscription.request(10);
    assertInstanceOf(CostTooLargeException.class, rig.sink.failure);
    rig.assertNothingLeft(shared);
  }

  @Test
  void aBatchWhoseCostIsNotCountedFailsTheStream() {
    Limiter shared = limiter(time, "spacing(1s)");
    var batching = Batching.<Integer>ofAtMost(3).costing(batch -> Cost.of(batch.size()));
    var rig = new Rig<>(time, Pace.<Integer>pacedBatches(shared, batching), 1);
    rig.send(1).send(2, 3, 4);
    rig.sink.subscription.request(10);
    rig.pass(1_000);
    assertEquals(List.of(List.of(1)), rig.sink.elements);
    assertInstanceOf(IllegalArgumentException.class, rig.sink.failure);
    rig.assertNothingLeft(shared);
  }

  @Test
  void aBatchCostsOnePermitOfASharedLimiter() {
    Limiter shared = limiter(time, "2/1s");
    var rig = new Rig<>(time, Pace.<Integer>pacedBatches(shared, Batching.ofAtMost(5)));
    rig.send(1).send(2).send(3, 4, 5, 6, 7).pass(1_000);
    assertEquals(List.of(List.of(1), List.of(2), List.of(3, 4, 5, 6, 7)), rig.sink.elements);
    assertEquals(3, shared.snapshot().granted());
    rig.assertNothingLeft(shared);
  }

  // ---- linger, as groupedWithin

  @Test
  void aBatchWaitsForOthersFromItsFirstElementOn() {
    var rig = grouped(Batching.<Integer>ofAtMost(1_000).linger(interval(time, 1_000)));
    rig.pass(300).send(1).pass(500).send(2).pass(499);
    assertEquals(List.of(), rig.sink.elements);
    rig.pass(1);
    assertEquals(List.of(List.of(1, 2)), rig.sink.elements);
    rig.pass(1_100).assertNothingLeft();
    assertEquals(1, rig.sink.elements.size(), "never an empty one");
  }

  @Test
  void aFullBatchGoesAtOnceAndTheNextLingersAnew() {
    var rig = grouped(Batching.<Integer>ofAtMost(3).linger(interval(time, 2_000)));
    rig.pass(1_000).send(1, 2, 3, 4);
    assertEquals(List.of(List.of(1, 2, 3)), rig.sink.elements);
    rig.pass(1_999);
    assertEquals(1, rig.sink.elements.size());
    rig.pass(1);
    assertEquals(List.of(List.of(1, 2, 3), List.of(4)), rig.sink.elements);
  }

  @Test
  void completionEndsTheLingerAtOnce() {
    var rig = grouped(Batching.<Integer>ofAtMost(1_000).linger(interval(time, 1_000)));
    rig.send(1, 2).source.complete();
    assertEquals(List.of(List.of(1, 2)), rig.sink.elements);
    assertTrue(rig.sink.completed);
    rig.assertNothingLeft();
  }

  @Test
  void lingerAndGapRunSideBySide() {
    var rig = rig(interval(time, 100), Batching.<Integer>ofAtMost(10).linger(interval(time, 30)));
    rig.send(1).pass(30).send(2).pass(99);
    assertEquals(List.of(30L), rig.sink.millis());
    rig.pass(1).pass(80).send(3).pass(29);
    assertEquals(List.of(30L, 130L), rig.sink.millis());
    rig.pass(1);
    assertEquals(List.of(30L, 130L, 240L), rig.sink.millis());
  }

  @Test
  void aLingerOfZeroIsNone() {
    var rig = grouped(Batching.<Integer>ofAtMost(3).linger(Duration.ZERO));
    rig.send(1, 2);
    assertEquals(List.of(List.of(1), List.of(2)), rig.sink.elements);
  }

  // ---- weight

  @Test
  void aHeavyElementTravelsAlone() {
    assertEquals(
        List.of(List.of(1, 2, 3), List.of(101), List.of(4, 5, 6)),
        flushed(1_000, 100, 1, 2, 3, 101, 4, 5, 6));
  }

  @Test
  void aBatchIsAsHeavyAsItMayBe() {
    assertEquals(List.of(List.of(1, 2), List.of(3)), flushed(1_000, 5, 1, 2, 3));
    assertEquals(List.of(List.of(2, 3), List.of(1)), flushed(1_000, 5, 2, 3, 1));
  }

  @Test
  void countAndWeightBoundTogether() {
    assertEquals(
        List.of(List.of(1, 2, 3), List.of(4, 5), List.of(6), List.of(11), List.of(7, 2)),
        flushed(3, 10, 1, 2, 3, 4, 5, 6, 11, 7, 2));
  }

  @Test
  void weightlessElementsJoinAFullBatchThatWaits() {
    assertEquals(List.of(List.of(5, 0, 0), List.of(1)), flushed(1_000, 5, 5, 0, 0, 1));
    assertEquals(List.of(List.of(6), List.of(0)), flushed(1_000, 5, 6, 0), "but no overweight one");
  }

  @Test
  void weightlessElementsAreBoundedByTimeAlone() {
    var rig =
        grouped(Batching.<Integer>ofAtMost(100).weighing(1, i -> 0).linger(interval(time, 1_000)));
    rig.send(1, 2, 3).pass(999);
    assertEquals(List.of(), rig.sink.elements);
    rig.pass(1);
    assertEquals(List.of(List.of(1, 2, 3)), rig.sink.elements);
  }

  @Test
  void aNegativeWeightFailsTheStream() {
    var rig = rig(interval(time, 100), Batching.<Integer>ofAtMost(9).weighing(5, i -> i));
    rig.send(1, -1);
    assertInstanceOf(IllegalArgumentException.class, rig.sink.failure);
    assertTrue(String.valueOf(rig.sink.failure).contains("-1"), "names the value");
    assertTrue(rig.source.cancelled);
  }

  @Test
  void anExceptionOfWeighingFailsTheStream() {
    var reason = new IllegalStateException();
    Batching<Integer> broken =
        Batching.<Integer>ofAtMost(9)
            .weighing(
                5,
                element -> {
                  throw reason;
                });
    var rig = rig(interval(time, 100), broken);
    rig.send(1);
    assertSame(reason, rig.sink.failure);
    assertTrue(rig.source.cancelled);
  }

  /** Sends all as far as there is room while there is no demand, and then completes. */
  private List<List<Integer>> flushed(int maxCount, long maxWeight, Integer... elements) {
    Batching<Integer> batching =
        Batching.<Integer>ofAtMost(maxCount).weighing(maxWeight, element -> element);
    Limiter all = limiter(time, "unlimited");
    var rig = new Rig<>(time, Pace.<Integer>pacedBatches(all, batching), 0);
    for (Integer element : elements) {
      if (rig.source.requested.get() == 0) {
        rig.sink.subscription.request(1);
      }
      rig.send(element);
    }
    rig.source.complete();
    rig.sink.subscription.request(Long.MAX_VALUE);
    assertTrue(rig.sink.completed);
    return rig.sink.elements;
  }

  @Test
  void aLongStreamNeedsNoDeepStack() {
    Operator<Integer, List<Integer>> operator =
        Pace.pacedBatches(limiter(time, "unlimited"), Batching.ofAtMost(2));
    var sink = new Kept<List<Integer>>(time, 1);
    sink.then = batch -> sink.subscription.request(1);
    operator.apply(Flux.range(0, 100_000)).subscribe(sink);
    assertTrue(sink.completed);
    assertEquals(IntStream.range(0, 100_000).boxed().toList(), flat(sink));
  }

  // ---- ends

  @Test
  void completionLosesNothing() {
    var rig = rig(100, 3);
    rig.send(1).send(2, 3).source.complete();
    rig.pass(99);
    assertFalse(rig.sink.completed);
    rig.pass(1);
    assertEquals(List.of(List.of(1), List.of(2, 3)), rig.sink.elements);
    assertTrue(rig.sink.completed);
    rig.assertNothingLeft();
  }

  @Test // DF-1
  void anEmptySourceCompletesAtOnce() {
    var rig = rig(100, 3);
    rig.source.complete();
    assertTrue(rig.sink.completed);
    rig.assertNothingLeft();
  }

  @Test
  void nothingIsLeftAfterAFailure() {
    var rig = rig(interval(time, 100), Batching.<Integer>ofAtMost(10).linger(interval(time, 30)));
    var reason = new RuntimeException();
    rig.send(1).source.fail(reason);
    assertSame(reason, rig.sink.failure);
    rig.assertNothingLeft();
  }

  @Test
  void nothingIsLeftAfterACancellation() {
    Limiter shared = limiter(time, "1/1s");
    var rig = new Rig<>(time, Pace.<Integer>pacedBatches(shared, Batching.ofAtMost(5)));
    rig.send(1, 2).sink.subscription.cancel();
    assertTrue(rig.source.cancelled);
    rig.assertNothingLeft(shared);
  }

  @Test
  void aBatchCannotBeChanged() {
    var rig = rig(100, 3).send(1);
    assertThrows(UnsupportedOperationException.class, () -> rig.sink.elements.get(0).add(2));
  }

  @Test
  void refusesBoundsThatAreNone() {
    var count = assertThrows(IllegalArgumentException.class, () -> Batching.ofAtMost(0));
    assertEquals("maxCount must be at least 1: 0", count.getMessage());
    Batching<Integer> fine = Batching.ofAtMost(1);
    var weight = assertThrows(IllegalArgumentException.class, () -> fine.weighing(0, element -> 1));
    assertEquals("maxWeight must be at least 1: 0", weight.getMessage());
    assertThrows(IllegalArgumentException.class, () -> fine.linger(Duration.ofNanos(-1)));
  }

  private static List<Integer> flat(Kept<List<Integer>> sink) {
    return sink.elements.stream().flatMap(List::stream).toList();
  }

  private static void assertGaps(Kept<?> sink, int gapMillis) {
    List<Long> millis = sink.millis();
    for (int i = 1; i < millis.size(); i++) {
      assertTrue(millis.get(i) - millis.get(i - 1) >= gapMillis, millis.toString());
    }
  }
}
