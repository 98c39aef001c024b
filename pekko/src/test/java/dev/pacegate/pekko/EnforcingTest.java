package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.Limiter;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.RateExceededException;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.junit.jupiter.api.Test;

/** Enforcing, as the tests of Akka's and Pekko's own stage have it: FT-5, FT-12 to FT-22, FT-29. */
class EnforcingTest extends StreamTest {

  private Flow<Integer, Integer, NotUsed> shaping(Limit limit, Function<Integer, Cost> cost) {
    return Throttle.byCost(owning(limit), cost);
  }

  private Flow<Integer, Integer, NotUsed> enforcing(Limit limit, Function<Integer, Cost> cost) {
    return Throttle.enforcingByCost(owning(limit), cost);
  }

  private Flow<Integer, Integer, NotUsed> enforcing(Limit limit) {
    return enforcing(limit, element -> Cost.ONE);
  }

  @Test // FT-5
  void sharesNoStateBetweenMaterialisations() {
    Flow<Integer, Integer, NotUsed> once =
        Throttle.enforcing(Throttle.limit(1, Duration.ofDays(1), 1));
    for (int stream = 1; stream <= 2; stream++) {
      var all = Source.single(stream).via(once).via(once).runWith(Sink.seq(), materializer);
      assertEquals(List.of(stream), await(all));
    }
  }

  @Test // FT-12
  void passesWhatIsWithinTheBurst() {
    var sink = run(numbers(5), enforcing(Throttle.limit(1, millis(200), 5)), 6);
    from(1, 5).forEach(sink::expectNext);
    sink.expectComplete();
  }

  @Test // FT-12
  void failsAtWhatIsBeyondTheBurst() {
    var limit = Throttle.limit(1, millis(200), 5);
    var sink = run(numbers(6), enforcing(limit), 6);
    from(1, 5).forEach(sink::expectNext);
    Throwable error = sink.expectError();
    assertInstanceOf(RateExceededException.class, error);
    assertTrue(error.toString().contains(limit.toString()), error::toString);
  }

  @Test // FT-13
  void letsThroughWhatWasShaped() {
    var limit = Throttle.limit(1, millis(100), 5);
    var sink = run(numbers(5), shaping(limit, n -> Cost.ONE).via(enforcing(limit)), 5);
    from(1, 5).forEach(sink::expectNext);
    sink.expectComplete();
  }

  @Test // FT-21
  void passesWhatIsWithinTheBurstByCost() {
    var sink = run(numbers(4), enforcing(Throttle.limit(2, millis(200), 10), Cost::of), 4);
    from(1, 4).forEach(sink::expectNext);
    sink.expectComplete();
  }

  @Test // FT-21
  void failsWithoutABurst() {
    var sink = run(numbers(6), enforcing(Throttle.limit(2, millis(200), 0), Cost::of), 6);
    assertInstanceOf(RateExceededException.class, sink.expectError());
  }

  @Test // FT-22
  void letsThroughWhatWasShapedByCost() {
    var costly = shaping(Throttle.limit(2, millis(200), 0), Cost::of);
    var sink = run(numbers(5), costly.via(enforcing(Throttle.limit(1, millis(100), 5))), 5);
    for (int number = 1; number <= 5; number++) {
      after(number * 100L);
      sink.expectNext(number);
    }
    sink.expectComplete();
  }

  @Test // FT-29
  void enforcesALimiterThatStreamsShare() {
    Limiter shared = limiter(Throttle.limit(1, Duration.ofDays(1), 1));
    Flow<Integer, Integer, NotUsed> flow = Throttle.enforcing(shared);
    run(Source.single(1), flow, 1).expectNext(1).expectComplete();
    assertInstanceOf(RateExceededException.class, run(Source.single(2), flow, 1).expectError());
    assertEquals(1, shared.snapshot().granted());
    assertEquals(1, shared.snapshot().refused());
  }

  @Test
  void saysThatACostCanNeverPass() {
    Limiter shared = limiter("10/1s");
    var sink = run(Source.single(11), Throttle.enforcingByCost(shared, Cost::of), 1);
    assertInstanceOf(CostTooLargeException.class, sink.expectError());
  }

  @Test
  void saysThatACostAboveTheBurstCanNeverPass() {
    var limit = Throttle.limit(1, millis(200), 5);
    var sink = run(Source.single(6), enforcing(limit, Cost::of), 1);
    assertInstanceOf(CostTooLargeException.class, sink.expectError());
    var shaped = run(Source.single(6), shaping(limit, Cost::of), 1);
    after(200);
    shaped.expectNext(6).expectComplete();
  }

  @Test
  void doesNotOvertakeThoseWhoWait() {
    Limiter shared = limiter("bucket(1/100ms)");
    var waits = run(numbers(3), Throttle.of(shared), 3);
    waits.expectNext(1);
    after(99);
    assertInstanceOf(
        RateExceededException.class,
        run(Source.single(1), Throttle.enforcing(shared), 1).expectError());
    after(1);
    waits.expectNext(2);
    waits.cancel();
  }
}
