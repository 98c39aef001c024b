package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.util.ByteString;
import org.junit.jupiter.api.Test;

/** Shaping, as the tests of Akka's and Pekko's own stage have it: the cases FT-1 to FT-19. */
class ThrottleTest extends StreamTest {

  private <T> Flow<T, T, NotUsed> throttle(Limit limit) {
    return throttle(limit, element -> Cost.ONE);
  }

  private <T> Flow<T, T, NotUsed> throttle(Limit limit, Function<T, Cost> cost) {
    return Throttle.byCost(owning(limit), cost);
  }

  @Test // FT-1
  void passesAllInOrder() {
    var sink = run(numbers(5), this.<Integer>throttle(Throttle.limit(19, millis(1000))), 5);
    IntStream.rangeClosed(1, 5)
        .forEach(
            number -> {
              sink.expectNext(number);
              after(53);
            });
    sink.expectComplete();
  }

  @Test // FT-2
  void passesAtAVeryHighRate() {
    var flow = Throttle.<Integer>of(1, Duration.ofNanos(1), 0);
    assertEquals(from(1, 5), await(numbers(5).via(flow).runWith(Sink.seq(), materializer)));
  }

  @Test // FT-3
  void waitsForVeryLongAndCanBeCancelled() {
    var sink =
        run(numbers(5), this.<Integer>throttle(Throttle.limit(1, Duration.ofDays(100), 1)), 5);
    sink.expectNext(1);
    after(100);
    sink.expectNoMessage(Duration.ZERO);
    sink.cancel();
  }

  @Test // FT-4, where Akka has Int.MaxValue
  void passesAllIfUnlimited() {
    assertEquals(
        from(1, 5),
        await(numbers(5).via(Throttle.of("unlimited")).runWith(Sink.seq(), materializer)));
  }

  @Test // FT-6
  void emitsOnePerTick() {
    var ends = run(this.<Integer>throttle(Throttle.limit(1, millis(300), 0)), 20);
    for (int number = 1; number <= 2; number++) {
      ends.source().sendNext(number);
      after(299);
      ends.expectNothing();
      after(1);
      ends.sink().expectNext(number);
    }
    ends.complete();
  }

  @Test // FT-7
  void emitsNothingWithoutInput() {
    var ends = run(this.<Integer>throttle(Throttle.limit(1, millis(300), 0)), 2);
    ends.source().sendNext(1);
    after(300);
    ends.sink().expectNext(1);
    after(300);
    ends.expectNothing();
    ends.source().sendNext(2);
    ends.sink().expectNext(2);
    ends.complete();
  }

  @Test // FT-8
  void isCancelledAtOnce() {
    isCancelledAtOnce(throttle(Throttle.limit(1, millis(300), 0)));
  }

  private void isCancelledAtOnce(Flow<Integer, Integer, NotUsed> flow) {
    var ends = run(flow, 10);
    ends.source().sendNext(1);
    ends.expectNothing();
    ends.sink().cancel();
    ends.source().expectCancellation();
  }

  @Test // FT-9
  void spacesEvenly() {
    assertEquals(
        List.of(0L, 500L, 1000L, 1500L, 2000L),
        arrivalMillis(numbers(5), throttle(Throttle.limit(1, millis(500)))));
  }

  @Test // FT-10
  void regainsAFullBurst() {
    var ends = run(this.<Integer>throttle(Throttle.limit(1, millis(200), 5)), 5);
    ends.send(from(1, 5));
    ends.expect(from(1, 5));
    ends.sink().request(5);
    after(1200);
    ends.expectNothing();
    ends.send(from(7, 11));
    ends.expect(from(7, 11));
    ends.complete();
  }

  @Test // FT-14
  void passesAllByCost() {
    var limit = Throttle.limit(1, millis(100), 0);
    assertEquals(
        List.of(100L, 200L, 300L, 400L, 500L),
        arrivalMillis(numbers(5), throttle(limit, element -> Cost.of(1))));
  }

  @Test // FT-15
  void waitsByCost() {
    var texts = Source.from(List.of(2, 4, 6, 8)).map(n -> ByteString.fromString("x".repeat(n)));
    var limit = Throttle.limit(2, millis(200), 0);
    assertEquals(
        List.of(200L, 600L, 1200L, 2000L),
        arrivalMillis(texts, throttle(limit, text -> Cost.of(text.size()))));
  }

  @Test // FT-16
  void waitsByTheValueOfAnElement() {
    var limit = Throttle.limit(2, millis(300), 0);
    var ends = run(this.<Integer>throttle(limit, Cost::of), 2);
    ends.source().sendNext(1);
    after(150);
    ends.sink().expectNext(1);
    ends.source().sendNext(2);
    after(299);
    ends.expectNothing();
    after(1);
    ends.sink().expectNext(2);
    ends.complete();
  }

  @Test // FT-17
  void isCancelledAtOnceByCost() {
    var limit = Throttle.limit(2, millis(200), 0);
    isCancelledAtOnce(throttle(limit, Cost::of));
  }

  @Test // FT-18
  void spacesEvenlyByCost() {
    var limit = Throttle.limit(2, millis(500));
    assertEquals(
        List.of(250L, 750L, 1250L, 1750L, 2250L),
        arrivalMillis(numbers(5), throttle(limit, element -> Cost.of(2))));
  }

  @Test // FT-19
  void regainsAFullBurstByCost() {
    var ends = run(this.<Integer>throttle(Throttle.limit(2, millis(400), 5), n -> Cost.of(1)), 5);
    ends.send(from(1, 5));
    ends.expect(from(1, 5));
    ends.sink().request(1);
    ends.source().sendNext(6);
    after(199);
    ends.expectNothing();
    after(1);
    ends.sink().expectNext(6);
    ends.sink().request(5);
    after(1200);
    ends.expectNothing();
    ends.send(from(7, 11));
    ends.expect(from(7, 11));
    ends.complete();
  }

  private <T> List<Long> arrivalMillis(Source<T, ?> source, Flow<T, T, ?> flow) {
    return arrivals(source, flow, millis(1)).stream().map(nanos -> nanos / 1_000_000).toList();
  }
}
