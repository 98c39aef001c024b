package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Cost;
import java.time.Duration;
import java.util.List;
import org.apache.pekko.NotUsed;
import org.apache.pekko.japi.function.Function;
import org.apache.pekko.stream.ActorAttributes;
import org.apache.pekko.stream.Supervision;
import org.apache.pekko.stream.ThrottleMode;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.testkit.TestSubscriber;
import org.junit.jupiter.api.Test;

/** What becomes of an element whose cost cannot be told: the cases FT-23 to FT-27. */
class SupervisionTest extends StreamTest {

  private static final Function<Throwable, Supervision.Directive> STOP =
      Supervision.getStoppingDecider();
  private static final Function<Throwable, Supervision.Directive> RESUME =
      Supervision.getResumingDecider();
  private static final Function<Throwable, Supervision.Directive> RESTART =
      Supervision.getRestartingDecider();

  private final RuntimeException failure = new IllegalStateException("no cost");
  private final Limiter limiter = limiter(Throttle.limit(1, millis(1000), 100));

  private Cost unless(int bad, int number) {
    if (number == bad) {
      throw failure;
    }
    return Cost.ONE;
  }

  private Flow<Integer, Integer, NotUsed> throttle(int bad) {
    return Throttle.byCost(limiter, number -> unless(bad, number));
  }

  private Flow<Integer, Integer, NotUsed> enforcing(int bad) {
    return Throttle.enforcingByCost(limiter, number -> unless(bad, number));
  }

  private TestSubscriber.Probe<Integer> run(
      Flow<Integer, Integer, NotUsed> flow, Function<Throwable, Supervision.Directive> decider) {
    return run(
        numbers(5), flow.withAttributes(ActorAttributes.withSupervisionStrategy(decider)), 5);
  }

  private void expectAll(TestSubscriber.Probe<Integer> sink, List<Integer> numbers) {
    numbers.forEach(sink::expectNext);
    sink.expectComplete();
    assertEquals(numbers.size(), limiter.snapshot().granted());
  }

  @Test // FT-23
  void failsWithThatErrorByDefault() {
    var sink = run(numbers(5), throttle(3), 5);
    sink.expectNext(1, 2);
    assertSame(failure, sink.expectError());
    assertEquals(2, limiter.snapshot().granted());
  }

  @Test // FT-23
  void failsWithThatErrorIfToStop() {
    var sink = run(throttle(3), STOP);
    sink.expectNext(1, 2);
    assertSame(failure, sink.expectError());
  }

  @Test // FT-23, the older test of Akka
  void failsAlsoThroughAnotherThrottle() {
    assertSame(failure, run(throttle(1).via(throttle(0)), STOP).expectError());
  }

  @Test // FT-24
  void skipsTheElementIfToResume() {
    expectAll(run(throttle(3), RESUME), List.of(1, 2, 4, 5));
  }

  @Test // FT-25
  void completesAfterSkippingTheLast() {
    expectAll(run(throttle(5), RESUME), List.of(1, 2, 3, 4));
  }

  @Test // FT-26
  void skipsTheElementIfEnforcing() {
    expectAll(run(enforcing(3), RESUME), List.of(1, 2, 4, 5));
  }

  @Test // FT-27
  void skipsTheElementIfToRestart() {
    expectAll(run(throttle(3), RESTART), List.of(1, 2, 4, 5));
  }

  @Test
  void skipsWhatIsNoCost() {
    Flow<Integer, Integer, NotUsed> negative = Throttle.byCost(limiter, n -> Cost.of(3 - n));
    expectAll(run(negative, RESUME), List.of(1, 2, 3));
  }

  @Test
  @SuppressWarnings("NullAway") // as a program might that is not checked
  void skipsWhereTheCostIsNull() {
    Flow<Integer, Integer, NotUsed> none = Throttle.byCost(limiter, n -> n == 2 ? null : Cost.ONE);
    expectAll(run(none, RESUME), List.of(1, 3, 4, 5));
  }

  /** Where Pekko's own throttle goes on, its strategy would be ours. */
  @Test
  void pekkoFailsWhateverTheStrategy() {
    for (var decider : List.of(STOP, RESUME, RESTART)) {
      Flow<Integer, Integer, NotUsed> theirs =
          Flow.<Integer>create()
              .throttle(
                  1,
                  Duration.ofSeconds(1),
                  100,
                  number -> (int) unless(3, number).amount(),
                  ThrottleMode.shaping());
      var sink = run(theirs, decider);
      sink.expectNext(1, 2);
      assertSame(failure, sink.expectError());
    }
  }
}
