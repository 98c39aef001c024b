package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Limits;
import java.time.Duration;
import java.util.List;
import org.apache.pekko.stream.ActorAttributes;
import org.apache.pekko.stream.Supervision;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.stream.testkit.TestPublisher;
import org.apache.pekko.stream.testkit.javadsl.TestSink;
import org.apache.pekko.stream.testkit.javadsl.TestSource;
import org.junit.jupiter.api.Test;

/** {@link Pulse} and {@link TimeWindow}, with the cases of akka-stream-contrib. */
class PulseTest extends StreamTest {

  private static final Duration INTERVAL = Duration.ofMillis(20);
  private static final Duration WINDOW = Duration.ofMillis(100);

  private final Arrivals<Integer> arrivals = new Arrivals<>(time);

  private TestPublisher.Probe<Integer> run(boolean initiallyOpen) {
    return TestSource.<Integer>create(system)
        .via(Pulse.of(INTERVAL, initiallyOpen, time))
        .toMat(arrivals.sink(), Keep.left())
        .run(materializer);
  }

  /** PU-1. */
  @Test
  void asksForOneElementPerInterval() {
    var source = run(false);
    after(19);
    assertEquals(List.of(), arrivals.all);
    after(1);
    source.sendNext(1);
    assertEquals(List.of(Arrivals.at(20, 1)), arrivals.all);
    source.sendNext(2); // taken in by the boundary of the stage, not by the stage
    after(19);
    assertEquals(1, arrivals.all.size());
    after(1);
    assertEquals(List.of(Arrivals.at(20, 1), Arrivals.at(40, 2)), arrivals.all);
    source.sendComplete();
    assertTrue(arrivals.completed);
    assertEquals(0, time.pending());
  }

  /** PU-3. */
  @Test
  void initiallyOpenItAsksAtOnce() {
    Source.repeat(1).via(Pulse.of(INTERVAL, true, time)).runWith(arrivals.sink(), materializer);
    assertEquals(List.of(Arrivals.at(0, 1)), arrivals.all);
    after(60);
    assertEquals(
        List.of(Arrivals.at(0, 1), Arrivals.at(20, 1), Arrivals.at(40, 1), Arrivals.at(60, 1)),
        arrivals.all);
    arrivals.cancel();
    assertEquals(0, time.pending());
  }

  /** PU-4. */
  @Test
  void initiallyOpenItGoesOnAsIfNot() {
    var source = run(true);
    source.sendNext(1);
    source.sendNext(2);
    after(19);
    assertEquals(List.of(Arrivals.at(0, 1)), arrivals.all);
    after(1);
    source.sendComplete();
    assertEquals(List.of(Arrivals.at(0, 1), Arrivals.at(20, 2)), arrivals.all);
    assertTrue(arrivals.completed);
  }

  /** A difference: theirs asks at every tick, so a late answer is followed at once by the next. */
  @Test
  void aLateAnswerIsFollowedByAWholeInterval() {
    var source = run(true);
    after(39);
    source.sendNext(1);
    source.sendNext(2);
    after(1);
    assertEquals(List.of(Arrivals.at(39, 1)), arrivals.all); // theirs: 2 at 40
    after(18);
    assertEquals(1, arrivals.all.size());
    after(1);
    assertEquals(List.of(Arrivals.at(39, 1), Arrivals.at(59, 2)), arrivals.all);
    assertTrue(arrivals.verdict(Limits.spacing(INTERVAL)).kept());
    source.sendComplete();
  }

  /** A difference: theirs waits for the next tick, however long ago the last element left. */
  @Test
  void demandAfterSilenceIsPassedOnAtOnce() {
    var sink =
        Source.repeat(1)
            .via(Pulse.of(INTERVAL, false, time))
            .runWith(TestSink.create(system), materializer);
    sink.ensureSubscription();
    sink.request(1);
    after(20);
    sink.expectNext(1);
    after(31); // theirs ticks at 60
    sink.request(1);
    sink.expectNext(1);
    sink.cancel();
  }

  /** No credit is saved up; and nothing ticks. */
  @Test
  void noCreditIsSavedUpAndNothingTicksWithoutDemand() {
    var sink =
        Source.repeat(1)
            .via(Pulse.of(INTERVAL, false, time))
            .runWith(TestSink.create(system), materializer);
    sink.ensureSubscription();
    after(1000);
    assertEquals(0, time.pending());
    sink.request(3);
    sink.expectNext(1);
    sink.expectNoMessage(Duration.ZERO);
    assertEquals(1, time.pending());
    after(20);
    sink.expectNext(1);
    sink.cancel();
    assertEquals(0, time.pending());
  }

  @Test
  void endsAtOnceHoweverItEnds() {
    var completing = run(false);
    completing.sendComplete();
    assertTrue(arrivals.completed);
    assertEquals(0, time.pending());
    var failing = run(false);
    var failure = new IllegalStateException("failed");
    failing.sendError(failure);
    assertSame(failure, arrivals.failure);
    assertEquals(0, time.pending());
    var cancelled = run(false);
    arrivals.cancel();
    cancelled.expectCancellation();
    assertEquals(0, time.pending());
  }

  @Test
  void twoStreamsOfOneBlueprintDoNotShareTheirTime() {
    Flow<Integer, Integer, ?> blueprint = Pulse.of(INTERVAL, true, time);
    Source.single(1).via(blueprint).runWith(arrivals.sink(), materializer);
    Source.single(2).via(blueprint).runWith(arrivals.sink(), materializer);
    assertEquals(List.of(Arrivals.at(0, 1), Arrivals.at(0, 2)), arrivals.all);
  }

  @Test
  void anIntervalOfNothingIsAMistake() {
    BatchesTest.assertMistake("interval must be from 1ns", () -> Pulse.of(Duration.ZERO));
    BatchesTest.assertMistake("-1s", () -> Pulse.of(Duration.ofSeconds(-1)));
    BatchesTest.assertMistake("interval must be", () -> Pulse.of(Duration.ofDays(36_501)));
  }

  // ---- time windows

  private TestPublisher.Probe<Integer> runWindow(boolean eager) {
    Flow<Integer, Integer, ?> sums =
        TimeWindow.on(
            time,
            WINDOW,
            eager,
            element -> {
              check(element);
              return element;
            },
            (sum, element) -> sum + check(element));
    return TestSource.<Integer>create(system)
        .via(sums)
        .toMat(arrivals.sink(), Keep.left())
        .run(materializer);
  }

  private static int check(int element) {
    if (element == 13) {
      throw new IllegalStateException("thirteen");
    }
    return element;
  }

  /** TW-1: without an endless source, which never leaves the thread that runs it. */
  @Test
  void thereIsOneAggregatePerWindow() {
    var source = runWindow(false);
    for (int i = 0; i < 10; i++) {
      after(10);
      source.sendNext(1);
    }
    assertEquals(List.of(Arrivals.at(100, 9)), arrivals.all); // the tenth came after the window
    after(99);
    assertEquals(1, arrivals.all.size());
    after(1);
    assertEquals(List.of(Arrivals.at(100, 9), Arrivals.at(200, 1)), arrivals.all);
    source.sendComplete();
    assertTrue(arrivals.completed);
  }

  /** TW-2. */
  @Test
  void eagerTheFirstSeedLeavesAtOnce() {
    var source = runWindow(true);
    source.sendNext(1);
    assertEquals(List.of(Arrivals.at(0, 1)), arrivals.all);
    source.sendNext(1);
    source.sendNext(1);
    after(99);
    assertEquals(1, arrivals.all.size());
    after(1);
    assertEquals(List.of(Arrivals.at(0, 1), Arrivals.at(100, 2)), arrivals.all);
    source.sendComplete();
  }

  /** A difference: theirs lets out what comes after silence, and the next at the next tick. */
  @Test
  void afterSilenceTheNextAggregateIsStillAWindowAway() {
    var source = runWindow(true);
    after(199);
    source.sendNext(1);
    source.sendNext(2);
    source.sendNext(3);
    after(99);
    assertEquals(List.of(Arrivals.at(199, 1)), arrivals.all);
    after(1);
    assertEquals(List.of(Arrivals.at(199, 1), Arrivals.at(299, 5)), arrivals.all);
    source.sendComplete();
  }

  @Test
  void completionLetsTheLastAggregateGoInItsTime() {
    var source = runWindow(true);
    source.sendNext(1);
    source.sendNext(2);
    source.sendComplete();
    after(99);
    assertEquals(1, arrivals.all.size());
    after(1);
    assertEquals(List.of(Arrivals.at(0, 1), Arrivals.at(100, 2)), arrivals.all);
    assertTrue(arrivals.completed);
    assertEquals(0, time.pending());
  }

  @Test
  void ifAFunctionThrowsTheStageFails() {
    var source = runWindow(true);
    source.sendNext(13);
    assertEquals("thirteen", arrivals.mistake());
    assertEquals(0, time.pending());
  }

  @Test
  void ifAFunctionThrowsResumeLeavesTheElementOutAndRestartTheAggregate() {
    assertEquals(List.of(1, 6), sums(Supervision.getResumingDecider()));
    assertEquals(List.of(1, 4), sums(Supervision.getRestartingDecider()));
  }

  private List<Integer> sums(
      org.apache.pekko.japi.function.Function<Throwable, Supervision.Directive> decider) {
    var mine = new Arrivals<Integer>(time);
    Flow<Integer, Integer, ?> sums =
        TimeWindow.<Integer, Integer>on(
                time, WINDOW, true, PulseTest::check, (sum, element) -> sum + check(element))
            .withAttributes(ActorAttributes.withSupervisionStrategy(decider));
    var source =
        TestSource.<Integer>create(system)
            .via(sums)
            .toMat(mine.sink(), Keep.left())
            .run(materializer);
    for (int element : new int[] {1, 2, 13, 4}) {
      source.sendNext(element);
    }
    source.sendComplete();
    after(1000);
    assertNull(mine.failure);
    return mine.elements();
  }
}
