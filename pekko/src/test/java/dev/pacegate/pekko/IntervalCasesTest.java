package dev.pacegate.pekko;

import static java.util.stream.Collectors.toList;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.audit.Verdict;
import dev.pacegate.limit.Limits;
import dev.pacegate.pekko.Arrivals.Arrival;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.stream.testkit.TestPublisher;
import org.apache.pekko.stream.testkit.javadsl.TestSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The cases of the interval-based limiter of akka-stream-contrib, and those of {@code
 * groupedWithin} that it is made of, with {@link Batches}.
 */
class IntervalCasesTest extends StreamTest {

  private final Arrivals<List<Integer>> arrivals = new Arrivals<>(time);

  private TestPublisher.Probe<Integer> run(Flow<Integer, List<Integer>, NotUsed> flow) {
    return TestSource.<Integer>create(system)
        .via(flow)
        .toMat(arrivals.sink(), Keep.left())
        .run(materializer);
  }

  private static void send(TestPublisher.Probe<Integer> source, int... elements) {
    for (int element : elements) {
      source.sendNext(element);
    }
  }

  private static Arrival<List<Integer>> at(long millis, Integer... batch) {
    return Arrivals.at(millis, List.of(batch));
  }

  private void assertArrived(Arrival<?>... expected) {
    assertEquals(List.of(expected), arrivals.all);
  }

  // ---- IR-1 to IR-8

  /** IR-1 to IR-7: an endless fast source. */
  @ParameterizedTest
  @CsvSource({
    "1, 500, 6",
    "10, 100, 300",
    "20, 100, 600",
    "200, 1000, 600",
    "200, 100, 6000",
    "2000, 1000, 6000",
    "50000, 1000, 150000"
  })
  void batchesOfAFastSourceAreTheGapApart(int max, int gap, int all) {
    Duration apart = Duration.ofMillis(gap);
    Source.fromIterator(() -> IntStream.iterate(1, i -> i + 1).iterator())
        .take(all)
        .via(Batches.<Integer>upTo(max).time(time).apart(apart))
        .runWith(arrivals.sink(), materializer);
    while (time.advanceToNext()) {
      assertTrue(time.pending() <= 1, "one appointment at a time");
    }
    assertGaps(gap);
    assertEquals(IntStream.rangeClosed(1, all).boxed().collect(toList()), elements());
    int full = all / max;
    assertTrue(
        arrivals.all.size() == full || arrivals.all.size() == full + 1, "" + arrivals.all.size());
    assertTrue(arrivals.completed);
    assertEquals(0, arrivals.all.get(0).at(), "the first is not delayed");
    assertEquals((arrivals.all.size() - 1L) * gap, arrivals.all.get(arrivals.all.size() - 1).at());
  }

  /** IR-8: a source of one per 300 ms. */
  @Test
  void elementsOfASlowSourceAreNotDelayed() {
    var source = run(Batches.<Integer>upTo(1).time(time).apart(Duration.ofMillis(100)));
    for (int i = 1; i <= 10; i++) {
      after(300);
      source.sendNext(i);
      assertEquals(i, arrivals.all.size());
    }
    source.sendComplete();
    assertGaps(100);
    assertEquals(IntStream.rangeClosed(1, 10).boxed().collect(toList()), elements());
    assertTrue(arrivals.completed);
  }

  private void assertGaps(int millis) {
    Verdict verdict = arrivals.verdict(Limits.spacing(Duration.ofMillis(millis)));
    assertTrue(verdict.kept(), verdict.text());
  }

  private List<Integer> elements() {
    return arrivals.elements().stream().flatMap(Collection::stream).collect(toList());
  }

  // ---- groupedWithin(n, d) is upTo(n).within(d), without a limit

  private Flow<Integer, List<Integer>, NotUsed> groupedWithin(int max, long millis) {
    return Batches.<Integer>upTo(max)
        .within(Duration.ofMillis(millis))
        .time(time)
        .paced(Limits.unlimited());
  }

  private Flow<Integer, List<Integer>, NotUsed> weighted(
      int max, long maxWeight, long millis, ToLongFunction<Integer> weight) {
    return Batches.<Integer>upTo(max)
        .weighing(maxWeight, weight)
        .within(Duration.ofMillis(millis))
        .time(time)
        .paced(Limits.unlimited());
  }

  @Test
  void elementsWithinTheTimeAreAGroupAndCompletionFlushes() {
    var source = run(groupedWithin(1000, 1000));
    send(source, 1, 2);
    after(600);
    send(source, 3);
    after(400);
    assertArrived(at(1000, 1, 2, 3));
    send(source, 4, 5);
    source.sendComplete();
    assertArrived(at(1000, 1, 2, 3), at(1000, 4, 5));
    assertTrue(arrivals.completed);
  }

  /** A difference: the time counts from the first element on, not from a timer that runs anyhow. */
  @Test
  void theTimeBeginsWithTheFirstElement() {
    var source = run(groupedWithin(1000, 1000));
    after(700);
    send(source, 1);
    after(999);
    assertArrived();
    after(1);
    assertArrived(at(1700, 1));
    source.sendComplete();
  }

  @Test
  void groupsAreNeverEmpty() {
    var source = run(groupedWithin(1000, 500));
    send(source, 1, 2);
    after(500);
    after(1100);
    assertEquals(0, time.pending(), "and nothing ticks");
    send(source, 3);
    after(500);
    assertArrived(at(500, 1, 2), at(2100, 3));
    source.sendComplete();
  }

  @Test
  void afterAFullGroupTheTimeBeginsAnew() {
    var source = run(groupedWithin(3, 2000));
    after(1000);
    send(source, 1, 2, 3, 4);
    assertArrived(at(1000, 1, 2, 3));
    after(1999);
    assertEquals(1, arrivals.all.size());
    after(1);
    assertArrived(at(1000, 1, 2, 3), at(3000, 4));
    source.sendComplete();
  }

  @Test
  void exactlyAFullGroupIsOneGroup() {
    var source = run(groupedWithin(3, 1000));
    send(source, 1, 2, 3);
    after(2000);
    source.sendComplete();
    assertArrived(at(0, 1, 2, 3));
    assertTrue(arrivals.completed);
  }

  @Test
  void singletonsBehindAThrottleAreTenSingletons() {
    var limiter = limiter("bucket(1/110ms, initial=empty)");
    Source.range(1, 10)
        .via(groupedWithin(1, 86_400_000))
        .via(Throttle.of(limiter))
        .runWith(arrivals.sink(), materializer);
    after(1100);
    assertEquals(
        IntStream.rangeClosed(1, 10).mapToObj(i -> at(110L * i, i)).collect(toList()),
        arrivals.all);
    assertTrue(arrivals.completed);
  }

  @Test
  void anElementHeavierThanTheGreatestWeightTravelsAlone() {
    var source = run(weighted(1000, 100, 1000, element -> element));
    send(source, 1, 2, 3, 101, 4, 5, 6);
    after(1000);
    assertArrived(at(0, 1, 2, 3), at(0, 101), at(1000, 4, 5, 6));
    source.sendComplete();
  }

  @Test
  void completionFlushesByWeight() {
    var source = run(weighted(1000, 5, 1000, element -> element + 1));
    send(source, 1, 2, 3);
    source.sendComplete();
    assertArrived(at(0, 1, 2), at(0, 3));
    assertTrue(arrivals.completed);
  }

  @Test
  void bothWeightAndCountBoundAGroup() {
    var source = run(weighted(3, 10, 1000, element -> element));
    send(source, 1, 2, 3, 4, 5, 6, 11, 7, 2);
    after(1000);
    assertArrived(at(0, 1, 2, 3), at(0, 4, 5), at(0, 6), at(0, 11), at(1000, 7, 2));
    source.sendComplete();
  }

  @Test
  void weightlessElementsAreGroupedByTimeAlone() {
    var source = run(weighted(Integer.MAX_VALUE, 1, 1000, element -> 0));
    for (int i = 1; i <= 50; i++) {
      send(source, i);
    }
    assertArrived();
    after(1000);
    assertEquals(1, arrivals.all.size());
    assertEquals(50, arrivals.all.get(0).element().size());
    source.sendComplete();
  }

  @Test
  void weightlessElementsMayJoinAFullGroup() {
    var limiter = limiter("spacing(1s)");
    var source = run(Batches.<Integer>upTo(10).weighing(5, element -> element).paced(limiter));
    send(source, 5, 5, 0, 0, 1, 2);
    after(1000);
    assertArrived(at(0, 5), at(1000, 5, 0, 0));
    after(1000);
    assertArrived(at(0, 5), at(1000, 5, 0, 0), at(2000, 1, 2));
    source.sendComplete();
  }

  /** A weight is a long, and the sum of weights never passes the greatest there is. */
  @Test
  void weightsDoNotOverflow() {
    var source = run(weighted(10, Long.MAX_VALUE, 1000, element -> Long.MAX_VALUE / 2 + 1));
    send(source, 1, 2);
    assertArrived(at(0, 1));
    source.sendComplete();
    assertArrived(at(0, 1), at(0, 2));
  }
}
