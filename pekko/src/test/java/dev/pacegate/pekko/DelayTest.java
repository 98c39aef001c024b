package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Limits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.ActorAttributes;
import org.apache.pekko.stream.Supervision;
import org.apache.pekko.stream.javadsl.DelayStrategy;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.stream.testkit.TestPublisher;
import org.apache.pekko.stream.testkit.javadsl.TestSink;
import org.apache.pekko.stream.testkit.javadsl.TestSource;
import org.junit.jupiter.api.Test;

/** {@link Delay}, with the cases of akka-stream-contrib's {@code DelayFlow}. */
class DelayTest extends StreamTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final Arrivals<Integer> arrivals = new Arrivals<>(time);

  private Flow<Integer, Integer, NotUsed> fixed(Duration delay) {
    return Delay.<Integer>on(time, () -> element -> delay);
  }

  private TestPublisher.Probe<Integer> run(Flow<Integer, Integer, NotUsed> flow) {
    return TestSource.<Integer>create(system)
        .via(flow)
        .toMat(arrivals.sink(), Keep.left())
        .run(materializer);
  }

  /** DF-1. */
  @Test
  void anEmptySourceCompletes() {
    Source.<Integer>empty().via(fixed(SECOND)).runWith(arrivals.sink(), materializer);
    assertTrue(arrivals.completed);
    assertEquals(0, time.pending());
  }

  /** DF-2. */
  @Test
  void eachElementLeavesASecondAfterItEntered() {
    var entered = new ArrayList<Long>();
    var sink =
        Source.range(1, 10)
            .map(
                element -> {
                  entered.add(time.nanoTime());
                  return element;
                })
            .via(fixed(SECOND))
            .runWith(TestSink.create(system), materializer);
    sink.ensureSubscription();
    for (int i = 1; i <= 10; i++) {
      after(300); // the time until it is asked for is not part of the delay
      sink.request(1);
      assertEquals(time.nanoTime(), entered.get(i - 1));
      after(999);
      sink.expectNoMessage(Duration.ZERO);
      after(1);
      sink.expectNext(i);
    }
    sink.expectComplete();
  }

  /** DF-3; and a delay of less than nothing is none, too. */
  @Test
  void noDelayChangesNothing() {
    for (Duration none : List.of(Duration.ZERO, Duration.ofSeconds(-1))) {
      var mine = new Arrivals<Integer>(time);
      Source.range(1, 10).via(fixed(none)).runWith(mine.sink(), materializer);
      assertEquals(IntStream.rangeClosed(1, 10).boxed().toList(), mine.elements());
      assertTrue(mine.completed);
    }
  }

  @Test
  void elementsLeaveAtLeastTheDelayApart() {
    Source.range(1, 10).via(fixed(SECOND)).runWith(arrivals.sink(), materializer);
    after(10_000);
    assertEquals(IntStream.rangeClosed(1, 10).boxed().toList(), arrivals.elements());
    assertTrue(arrivals.verdict(Limits.spacing(SECOND)).kept());
    assertTrue(arrivals.completed);
  }

  /** More than any timer of Pekko takes: a hundred years, and what is longer counts as these. */
  @Test
  void aDelayMayBeAsLongAsItLikes() {
    run(fixed(Duration.ofSeconds(Long.MAX_VALUE))).sendNext(1);
    time.advance(Duration.ofDays(36_500).minusNanos(1));
    assertEquals(List.of(), arrivals.all);
    time.advanceNanos(1);
    assertEquals(1, arrivals.all.size());
    arrivals.cancel();
  }

  // ---- linear

  private Flow<Integer, Integer, NotUsed> linear() {
    Supplier<DelayStrategy<Integer>> strategies =
        LinearDelay.strategies(
            Duration.ofMillis(10),
            Duration.ofMillis(5),
            Duration.ofMillis(30),
            (Integer element) -> element > 0);
    return Delay.on(time, strategies);
  }

  @Test
  void aLinearDelayIncreasesToItsGreatestAndFallsBack() {
    Source.from(List.of(1, 1, 1, 1, 0, 1)).via(linear()).runWith(arrivals.sink(), materializer);
    after(1000);
    assertEquals(
        List.of(15L, 15 + 25L, 40 + 30L, 70 + 30L, 100 + 5L, 105 + 15L),
        arrivals.all.stream().map(Arrivals.Arrival::at).toList());
  }

  @Test
  void eachMaterialisationHasAStrategyOfItsOwn() {
    Flow<Integer, Integer, NotUsed> flow = linear();
    Source.from(List.of(1, 1)).via(flow).runWith(arrivals.sink(), materializer);
    Source.from(List.of(1, 1)).via(flow).runWith(arrivals.sink(), materializer);
    after(1000);
    assertEquals(
        List.of(15L, 15L, 40L, 40L), arrivals.all.stream().map(Arrivals.Arrival::at).toList());
  }

  @Test
  void badValuesAreToldAtConstruction() {
    BatchesTest.assertMistake("step must be from 1ns to 36500d: 0s", () -> linear(0, 0, 1));
    BatchesTest.assertMistake("step must be", () -> linear(-1, 0, 1));
    BatchesTest.assertMistake(
        "initial must be from 0s to less than max (1s): 1s", () -> linear(1, 1, 1));
    BatchesTest.assertMistake("initial must be", () -> linear(1, 2, 1));
    BatchesTest.assertMistake("initial must be", () -> linear(1, -1, 1));
    BatchesTest.assertMistake("max must be", () -> linear(1, 0, Long.MAX_VALUE));
    assertNotNull(linear(1, 0, 1));
  }

  private static Flow<Integer, Integer, NotUsed> linear(long step, long initial, long max) {
    return Delay.linearIncreasing(
        Duration.ofSeconds(step),
        Duration.ofSeconds(initial),
        Duration.ofSeconds(max),
        element -> true);
  }

  // ---- ends

  @Test
  void completionWaitsForTheElementThatIsHeld() {
    var source = run(fixed(SECOND));
    source.sendNext(1);
    source.sendComplete();
    after(999);
    assertEquals(List.of(), arrivals.all);
    after(1);
    assertEquals(List.of(Arrivals.at(1000, 1)), arrivals.all);
    assertTrue(arrivals.completed);
  }

  @Test
  void failureAndCancellationDropItAndTheTimer() {
    var failing = run(fixed(SECOND));
    failing.sendNext(1);
    assertEquals(1, time.pending());
    var failure = new IllegalStateException("failed");
    failing.sendError(failure);
    assertSame(failure, arrivals.failure);
    assertEquals(0, time.pending());
    var cancelled = run(fixed(SECOND));
    cancelled.sendNext(1);
    assertEquals(1, time.pending());
    arrivals.cancel();
    cancelled.expectCancellation();
    assertEquals(0, time.pending());
    assertEquals(List.of(), arrivals.all);
  }

  // ---- a strategy that throws

  private void runThrowing(
      org.apache.pekko.japi.function.Function<Throwable, Supervision.Directive> decider) {
    Supplier<DelayStrategy<Integer>> strategies =
        () ->
            new DelayStrategy<>() {
              private int asked;

              @Override
              public Duration nextDelay(Integer element) {
                if (element == 3) {
                  throw new IllegalStateException("three");
                }
                return Duration.ofMillis(100L * ++asked);
              }
            };
    Source.range(1, 4)
        .via(
            Delay.on(time, strategies)
                .withAttributes(ActorAttributes.withSupervisionStrategy(decider)))
        .runWith(arrivals.sink(), materializer);
    after(10_000);
  }

  @Test
  void ifTheStrategyThrowsStopFailsTheStage() {
    runThrowing(Supervision.getStoppingDecider());
    assertEquals(List.of(1, 2), arrivals.elements());
    assertEquals("three", arrivals.mistake());
  }

  @Test
  void ifTheStrategyThrowsResumeLeavesTheElementOut() {
    runThrowing(Supervision.getResumingDecider());
    assertEquals(
        List.of(Arrivals.at(100, 1), Arrivals.at(300, 2), Arrivals.at(600, 4)), arrivals.all);
    assertTrue(arrivals.completed);
  }

  @Test
  void ifTheStrategyThrowsRestartBeginsWithANewOne() {
    runThrowing(Supervision.getRestartingDecider());
    assertEquals(
        List.of(Arrivals.at(100, 1), Arrivals.at(300, 2), Arrivals.at(400, 4)), arrivals.all);
    assertTrue(arrivals.completed);
  }
}
