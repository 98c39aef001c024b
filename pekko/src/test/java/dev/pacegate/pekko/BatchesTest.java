package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.WaitQueueFullException;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.NotUsed;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.stream.ActorAttributes;
import org.apache.pekko.stream.Supervision;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.stream.testkit.TestPublisher;
import org.apache.pekko.stream.testkit.TestSubscriber;
import org.apache.pekko.stream.testkit.javadsl.TestSink;
import org.apache.pekko.stream.testkit.javadsl.TestSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The interval-based limiter's cases are in {@link IntervalCasesTest}. */
@SuppressWarnings("NullAway.Init") // each test runs a stream first
class BatchesTest extends StreamTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private TestPublisher.Probe<Integer> source;
  private TestSubscriber.Probe<List<Integer>> sink;

  private void run(Flow<Integer, List<Integer>, NotUsed> flow) {
    Pair<TestPublisher.Probe<Integer>, TestSubscriber.Probe<List<Integer>>> probes =
        TestSource.<Integer>create(system)
            .via(flow)
            .toMat(TestSink.create(system), Keep.both())
            .run(materializer);
    source = probes.first();
    sink = probes.second();
  }

  private void send(int... elements) {
    for (int element : elements) {
      source.sendNext(element);
    }
  }

  private void expectNothing() {
    sink.expectNoMessage(Duration.ZERO);
  }

  private Flow<Integer, List<Integer>, NotUsed> secondApart(int max) {
    return Batches.<Integer>upTo(max).time(time).apart(SECOND);
  }

  // ---- when a batch leaves

  @Test
  void theFirstAfterSilenceIsNotDelayed() {
    run(secondApart(10));
    sink.request(10);
    send(1);
    sink.expectNext(List.of(1));
    after(5000);
    send(2);
    sink.expectNext(List.of(2));
    sink.cancel();
  }

  @Test
  void elementsWithinTheGapGather() {
    run(secondApart(10));
    sink.request(10);
    send(1, 2, 3);
    sink.expectNext(List.of(1));
    after(999);
    send(4);
    expectNothing();
    after(1);
    sink.expectNext(List.of(2, 3, 4));
    sink.cancel();
  }

  @Test
  void aBatchWithoutDemandGoesOnGathering() {
    run(secondApart(3));
    send(1, 2);
    after(5000);
    send(3);
    assertEquals(0, time.pending(), "nothing waits for time");
    sink.request(1);
    sink.expectNext(List.of(1, 2, 3));
    sink.cancel();
  }

  @Test
  void takesInNoMoreThanABatch() {
    var taken = new AtomicInteger();
    var eager =
        Source.range(1, 100)
            .map(
                element -> {
                  taken.incrementAndGet();
                  return element;
                })
            .via(secondApart(2))
            .runWith(TestSink.create(system), materializer);
    eager.ensureSubscription();
    assertEquals(2, taken.get());
    eager.request(1);
    eager.expectNext(List.of(1, 2));
    assertEquals(4, taken.get());
    eager.cancel();
  }

  @Test
  void nothingTicksWhileThereIsNothingToBatch() {
    run(Batches.<Integer>upTo(3).within(SECOND).time(time).apart(SECOND));
    sink.request(10);
    assertEquals(0, time.pending());
    send(1, 2, 3);
    sink.expectNext(List.of(1, 2, 3));
    assertEquals(0, time.pending());
    sink.cancel();
  }

  @Test
  void withinLetsABatchWaitForMoreFromItsFirstElementOn() {
    run(Batches.<Integer>upTo(3).within(SECOND).time(time).apart(Duration.ofMillis(1)));
    sink.request(10);
    after(700);
    send(1);
    after(999);
    send(2);
    expectNothing();
    after(1);
    sink.expectNext(List.of(1, 2));
    after(10);
    send(3);
    after(999);
    expectNothing();
    after(1);
    sink.expectNext(List.of(3));
    sink.cancel();
  }

  @Test
  void anElementThatDidNotFitHasWaitedAlready() {
    Flow<Integer, List<Integer>, NotUsed> weighed =
        Batches.<Integer>upTo(9)
            .weighing(10, element -> element)
            .within(SECOND)
            .time(time)
            .apart(Duration.ofMillis(1));
    run(weighed);
    send(6, 7);
    after(700);
    sink.request(10);
    sink.expectNext(List.of(6));
    after(299);
    expectNothing();
    after(1);
    sink.expectNext(List.of(7));
    sink.cancel();
    run(weighed);
    send(6, 7);
    after(1000);
    sink.request(10);
    sink.expectNext(List.of(6));
    after(1);
    sink.expectNext(List.of(7));
    sink.cancel();
  }

  @Test
  void aFullBatchWaitsForNoMore() {
    run(Batches.<Integer>upTo(3).within(SECOND).time(time).apart(Duration.ofMillis(1)));
    sink.request(10);
    send(1, 2);
    after(500);
    send(3);
    sink.expectNext(List.of(1, 2, 3));
    after(500);
    send(4);
    after(999);
    expectNothing(); // the call for the first batch has been withdrawn
    after(1);
    sink.expectNext(List.of(4));
    sink.cancel();
  }

  // ---- a limiter that is given

  @Test
  void batchesOfTwoStreamsShareALimiter() {
    Limiter limiter = limiter("2/1s");
    run(Batches.of(10, limiter));
    TestSubscriber.Probe<List<Integer>> sink1 = sink;
    TestPublisher.Probe<Integer> source1 = source;
    run(Batches.of(10, limiter));
    sink1.request(10);
    sink.request(10);
    source1.sendNext(1);
    send(11);
    sink1.expectNext(List.of(1));
    sink.expectNext(List.of(11));
    source1.sendNext(2);
    source1.sendNext(3);
    send(12);
    assertEquals(2, limiter.snapshot().waiting());
    after(999);
    expectNothing();
    after(1);
    sink1.expectNext(List.of(2, 3));
    sink.expectNext(List.of(12));
    sink1.cancel();
    sink.cancel();
    assertIdle(limiter);
  }

  @Test
  void aChangedLimitTakesEffectOnABatchThatWaits() {
    Limiter limiter = limiter("spacing(1h)");
    run(Batches.of(10, limiter));
    sink.request(10);
    send(1, 2);
    sink.expectNext(List.of(1));
    limiter.setLimit("spacing(1s)");
    after(999);
    expectNothing();
    after(1);
    sink.expectNext(List.of(2));
    sink.cancel();
  }

  @Test
  void eachMaterialisationHasALimiterOfItsOwnUnlessItIsGiven() {
    Flow<Integer, List<Integer>, NotUsed> flow = secondApart(10);
    for (int i = 0; i < 2; i++) {
      run(flow);
      sink.request(10);
      send(1);
      sink.expectNext(List.of(1));
      sink.cancel();
    }
  }

  @Test
  void anotherLimitThanAGapMayPaceBatches() {
    run(Batches.<Integer>upTo(10).time(time).paced(Limits.parse("2/1s")));
    sink.request(10);
    send(1, 2, 3);
    sink.expectNext(List.of(1));
    sink.expectNext(List.of(2));
    after(1000);
    sink.expectNext(List.of(3));
    sink.cancel();
  }

  @Test
  void aPermitEndsWithItsBatch() {
    Limiter limiter = limiter("10/1s");
    run(Batches.of(1, limiter));
    limiter.setLimit("concurrent(1)");
    sink.request(10);
    send(1, 2);
    sink.expectNext(List.of(1));
    sink.expectNext(List.of(2));
    assertIdle(limiter);
    var permit = limiter.tryAcquire().orElseThrow();
    send(3);
    expectNothing();
    permit.answered();
    sink.expectNext(List.of(3)); // called out of the queue
    assertIdle(limiter);
    sink.cancel();
  }

  @Test
  void aLimiterThatIsClosedFailsTheStage() {
    Limiter limiter = limiter("spacing(1s)");
    run(Batches.of(10, limiter));
    sink.request(10);
    send(1, 2);
    sink.expectNext(List.of(1));
    limiter.close();
    assertEquals(LimiterClosedException.class, sink.expectError().getClass());
    source.expectCancellation();
    run(Batches.of(10, limiter));
    sink.request(10);
    send(1);
    assertEquals(LimiterClosedException.class, sink.expectError().getClass());
  }

  @Test
  void aLineThatIsFullFailsTheStage() {
    Limiter limiter =
        Limiter.builder("spacing(1s)").time(time).executor(Runnable::run).maxWaiting(0).build();
    run(Batches.of(10, limiter));
    sink.request(10);
    send(1, 2);
    sink.expectNext(List.of(1));
    assertEquals(WaitQueueFullException.class, sink.expectError().getClass());
  }

  // ---- ends

  @Test
  void completionLetsTheRestGoInItsTime() {
    run(secondApart(10));
    sink.request(10);
    send(1, 2, 3);
    sink.expectNext(List.of(1));
    source.sendComplete();
    after(999);
    expectNothing();
    after(1);
    sink.expectNext(List.of(2, 3));
    sink.expectComplete();
    assertEquals(0, time.pending());
  }

  @Test
  void completionEndsTheWaitForMore() {
    run(Batches.<Integer>upTo(10).within(SECOND).time(time).apart(SECOND));
    sink.request(10);
    send(1, 2);
    source.sendComplete();
    sink.expectNext(List.of(1, 2));
    sink.expectComplete();
    assertEquals(0, time.pending());
  }

  @Test
  void completionOfNothingIsCompletion() {
    run(secondApart(10));
    source.sendComplete();
    sink.expectSubscriptionAndComplete();
  }

  @Test
  void failureDropsWhatHasGatheredAndGivesUpThePlace() {
    Limiter limiter = limiter("spacing(1s)");
    run(Batches.of(10, limiter));
    sink.request(10);
    send(1, 2);
    sink.expectNext(List.of(1));
    assertEquals(1, limiter.snapshot().waiting());
    var failure = new IllegalStateException("failed");
    source.sendError(failure);
    sink.expectError(failure);
    assertIdle(limiter);
    assertEquals(0, time.pending());
    assertEquals(1, limiter.snapshot().granted());
  }

  @Test
  void cancellationGivesUpThePlace() {
    Limiter limiter = limiter("spacing(1s)");
    run(Batches.<Integer>upTo(10).within(SECOND).time(time).paced(limiter));
    sink.request(10);
    limiter.pause();
    send(1);
    after(1000);
    send(2);
    assertEquals(1, limiter.snapshot().waiting());
    sink.cancel();
    source.expectCancellation();
    assertIdle(limiter);
    assertEquals(0, time.pending());
  }

  @Test
  void cancellationWithdrawsTheLastCall() {
    run(Batches.<Integer>upTo(10).within(SECOND).time(time).apart(SECOND));
    sink.request(10);
    send(1);
    assertEquals(1, time.pending());
    sink.cancel();
    assertEquals(0, time.pending());
  }

  // ---- a weighing function that throws

  private static long throwsOn3(int element) {
    if (element == 3) {
      throw new IllegalStateException("three");
    }
    return 1;
  }

  private void runSupervised(
      org.apache.pekko.japi.function.Function<Throwable, Supervision.Directive> decider) {
    run(
        Batches.<Integer>upTo(4)
            .weighing(100, BatchesTest::throwsOn3)
            .within(SECOND)
            .time(time)
            .apart(SECOND)
            .withAttributes(ActorAttributes.withSupervisionStrategy(decider)));
    sink.request(10);
    send(1, 2);
  }

  @Test
  void ifWeighingThrowsStopFailsTheStage() {
    runSupervised(Supervision.getStoppingDecider());
    send(3);
    assertEquals("three", sink.expectError().getMessage());
    assertEquals(0, time.pending());
  }

  @Test
  void ifWeighingThrowsResumeLeavesTheElementOut() {
    runSupervised(Supervision.getResumingDecider());
    send(3, 4, 5);
    sink.expectNext(List.of(1, 2, 4, 5));
    sink.cancel();
  }

  @Test
  void ifWeighingThrowsRestartDropsWhatHasGathered() {
    runSupervised(Supervision.getRestartingDecider());
    after(500);
    send(3);
    assertEquals(0, time.pending(), "no waiter is left for what was dropped");
    send(4, 5);
    after(999);
    expectNothing();
    after(1);
    sink.expectNext(List.of(4, 5));
    sink.cancel();
  }

  @Test
  void ifWeighingThrowsRestartGivesUpThePlace() {
    Limiter limiter = limiter("spacing(1s)");
    run(
        Batches.<Integer>upTo(4)
            .weighing(100, BatchesTest::throwsOn3)
            .paced(limiter)
            .withAttributes(
                ActorAttributes.withSupervisionStrategy(Supervision.getRestartingDecider())));
    sink.request(10);
    send(1, 2, 3);
    sink.expectNext(List.of(1));
    assertIdle(limiter);
    send(4);
    after(1000);
    sink.expectNext(List.of(4));
    sink.cancel();
  }

  @Test
  void ifTheLastElementThrowsTheRestLeavesAndTheStreamCompletes() {
    runSupervised(Supervision.getResumingDecider());
    send(3);
    source.sendComplete();
    sink.expectNext(List.of(1, 2));
    sink.expectComplete();
  }

  @Test
  void aNegativeWeightFailsTheStageWhateverTheStrategySays() {
    run(
        Batches.<Integer>upTo(4)
            .weighing(100, element -> -1)
            .time(time)
            .apart(SECOND)
            .withAttributes(
                ActorAttributes.withSupervisionStrategy(Supervision.getResumingDecider())));
    sink.request(1);
    send(7);
    Throwable failure = sink.expectError();
    assertEquals(IllegalArgumentException.class, failure.getClass());
    assertEquals("a weight must not be negative: -1 of 7", failure.getMessage());
  }

  @Test
  void badValuesAreToldAtConstruction() {
    assertMistake("maxCount must be at least 1: 0", () -> Batches.upTo(0));
    assertMistake(
        "maxWeight must be at least 1: -1", () -> Batches.upTo(1).weighing(-1, element -> 1));
    assertMistake(
        "the gap of a spacing must be at least 1ns: 0", () -> Batches.of(1, Duration.ZERO));
    assertMistake("gap must be from 0s to 36500d: -1", () -> Batches.of(1, Duration.ofSeconds(-1)));
  }

  static void assertMistake(String text, Executable made) {
    var mistake = assertThrows(IllegalArgumentException.class, made);
    assertTrue(String.valueOf(mistake.getMessage()).contains(text), mistake.getMessage());
  }

  // ---- costs

  private Flow<Integer, List<Integer>, NotUsed> bySize(int max, Limiter limiter) {
    return Batches.<Integer>upTo(max)
        .time(time)
        .costing(batch -> Cost.of(batch.size()))
        .paced(limiter);
  }

  @Test
  void aBatchCostsWhatItHolds() {
    Limiter limiter = limiter("4/1s");
    run(bySize(4, limiter));
    send(1, 2, 3);
    sink.request(10);
    sink.expectNext(List.of(1, 2, 3));
    send(4, 5, 6, 7);
    sink.expectNext(List.of(4));
    expectNothing();
    after(1000);
    sink.expectNext(List.of(5)); // it had asked before the others came
    sink.expectNext(List.of(6, 7));
    send(8, 9);
    sink.expectNext(List.of(8));
    source.sendComplete();
    expectNothing();
    after(1000);
    sink.expectNext(List.of(9)).expectComplete();
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  void aBatchThatCanNeverPassFailsTheStream() {
    Limiter limiter = limiter("4/1s");
    run(bySize(5, limiter));
    send(1, 2, 3, 4, 5);
    sink.request(10);
    assertTrue(sink.expectError() instanceof CostTooLargeException);
    assertEquals(0, limiter.snapshot().waiting());
  }

  @Test
  void aBatchWhoseCostIsNotCountedFailsTheStream() {
    Limiter limiter = limiter("spacing(1s)");
    run(bySize(5, limiter));
    send(1, 2, 3, 4, 5);
    sink.request(10);
    assertTrue(sink.expectError() instanceof IllegalArgumentException);
    assertEquals(0, limiter.snapshot().granted());
  }

  @Test
  void aBatchWithoutACostIsLeftOutIfToResume() {
    Limiter limiter = limiter("4/1s");
    run(
        Batches.<Integer>upTo(2)
            .costing(
                batch -> {
                  if (batch.contains(3)) {
                    throw new IllegalStateException("no cost");
                  }
                  return Cost.of(batch.size());
                })
            .paced(limiter)
            .withAttributes(
                ActorAttributes.withSupervisionStrategy(Supervision.getResumingDecider())));
    sink.request(10);
    send(1, 2, 3, 4);
    for (int passed : List.of(1, 2, 4)) {
      sink.expectNext(List.of(passed));
    }
    source.sendComplete();
    sink.expectComplete();
    assertEquals(3, limiter.snapshot().granted());
  }

  @Test
  void waitingElementsLeaveTheQueueWithTheStream() {
    Limiter limiter = limiter("2/1s");
    run(bySize(2, limiter));
    sink.request(10);
    send(1, 2, 3, 4);
    sink.expectNext(List.of(1));
    sink.expectNext(List.of(2));
    assertEquals(1, limiter.snapshot().waiting());
    sink.cancel();
    source.expectCancellation();
    assertEquals(0, limiter.snapshot().waiting());
    assertEquals(0, limiter.snapshot().open());
  }
}
