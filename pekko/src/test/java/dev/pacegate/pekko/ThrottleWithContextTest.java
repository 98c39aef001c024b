package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Bucket;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.apache.pekko.NotUsed;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.stream.FlowShape;
import org.apache.pekko.stream.Graph;
import org.apache.pekko.stream.RateExceededException;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.javadsl.FlowWithContext;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.stream.javadsl.SourceWithContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Elements with offsets, through both kinds of streams with context: FT-1, 2, 3, 5, 6, 15. */
class ThrottleWithContextTest extends StreamTest {

  enum Kind {
    FLOW {
      @Override
      <T> Graph<FlowShape<Pair<T, Long>, Pair<T, Long>>, NotUsed> through(
          FlowWithContext<T, Long, T, Long, NotUsed> throttle) {
        return FlowWithContext.<T, Long>create().via(throttle);
      }
    },
    SOURCE {
      @Override
      <T> Graph<FlowShape<Pair<T, Long>, Pair<T, Long>>, NotUsed> through(
          FlowWithContext<T, Long, T, Long, NotUsed> throttle) {
        return Flow.<Pair<T, Long>>create()
            .prefixAndTail(0)
            .flatMapConcat(
                whole -> SourceWithContext.fromPairs(whole.second()).via(throttle).asSource());
      }
    };

    abstract <T> Graph<FlowShape<Pair<T, Long>, Pair<T, Long>>, NotUsed> through(
        FlowWithContext<T, Long, T, Long, NotUsed> throttle);
  }

  private FlowWithContext<Integer, Long, Integer, Long, NotUsed> throttle(Limit limit) {
    return throttle(limit, element -> Cost.ONE);
  }

  private <T> FlowWithContext<T, Long, T, Long, NotUsed> throttle(
      Limit limit, Function<T, Cost> cost) {
    return ThrottleWithContext.byCost(owning(limit), cost);
  }

  private static Pair<Integer, Long> withOffset(int number) {
    return Pair.create(number, number + 1000L);
  }

  private static Source<Pair<Integer, Long>, ?> numbersWithOffsets() {
    return numbers(5).map(ThrottleWithContextTest::withOffset);
  }

  @ParameterizedTest
  @EnumSource // FT-1
  void passesAllInOrder(Kind kind) {
    Bucket limit = Throttle.limit(19, millis(1000));
    var sink = run(numbersWithOffsets(), kind.through(throttle(limit)), 5);
    for (int number : from(1, 5)) {
      sink.expectNext(withOffset(number));
      after(53);
    }
    sink.expectComplete();
  }

  @ParameterizedTest
  @EnumSource // FT-2
  void passesAtAVeryHighRate(Kind kind) {
    Limit limit = Throttle.limit(1, Duration.ofNanos(1), 0);
    var all =
        numbersWithOffsets()
            .via(kind.through(ThrottleWithContext.<Integer, Long>of(limit)))
            .runWith(Sink.seq(), materializer);
    assertEquals(from(1, 5).stream().map(ThrottleWithContextTest::withOffset).toList(), await(all));
  }

  @ParameterizedTest
  @EnumSource // FT-3
  void waitsForVeryLongAndCanBeCancelled(Kind kind) {
    Limit limit = Throttle.limit(1, Duration.ofDays(100), 1);
    var sink = run(numbersWithOffsets(), kind.through(throttle(limit)), 5);
    sink.expectNext(withOffset(1));
    after(100);
    sink.expectNoMessage(Duration.ZERO);
    sink.cancel();
  }

  @ParameterizedTest
  @EnumSource // FT-6
  void emitsOnePerTick(Kind kind) {
    var ends = run(kind.through(throttle(Throttle.limit(1, millis(300), 0))), 20);
    for (int number = 1; number <= 2; number++) {
      ends.source().sendNext(withOffset(number));
      after(299);
      ends.expectNothing();
      after(1);
      ends.sink().expectNext(withOffset(number));
    }
    ends.complete();
  }

  @ParameterizedTest
  @EnumSource // FT-15
  void waitsByTheCostOfTheElementAlone(Kind kind) {
    var instants = new ArrayList<Long>();
    Limit limit = Throttle.limit(2, millis(200), 0);
    Source.from(List.of("ab", "abcd", "abcdef", "abcdefgh"))
        .map(text -> Pair.create(text, 1_000_000L + text.length()))
        .via(kind.through(this.<String>throttle(limit, text -> Cost.of(text.length()))))
        .runWith(
            Sink.foreach(
                pair -> {
                  assertEquals(1_000_000L + pair.first().length(), pair.second());
                  instants.add(time.nanoTime() / 1_000_000);
                }),
            materializer);
    LongStream.range(0, 2000).forEach(step -> after(1));
    assertEquals(List.of(200L, 600L, 1200L, 2000L), instants);
  }

  @ParameterizedTest
  @EnumSource // FT-5
  void sharesNoStateBetweenMaterialisations(Kind kind) {
    Limit limit = Throttle.limit(1, Duration.ofDays(1), 1);
    var once = kind.through(ThrottleWithContext.<String, Long>enforcing(limit));
    var a = Pair.create("a", 1L);
    for (int stream = 1; stream <= 2; stream++) {
      var all = Source.single(a).via(once).via(once).runWith(Sink.seq(), materializer);
      assertEquals(List.of(a), await(all));
    }
  }

  @Test
  void enforcesALimiterThatStreamsShare() {
    Limiter limiter = limiter("3/1d");
    var flow = ThrottleWithContext.<Integer, Long>enforcingByCost(limiter, Cost::of);
    var sink = run(numbersWithOffsets(), flow, 5);
    sink.expectNext(withOffset(1));
    sink.expectNext(withOffset(2));
    assertInstanceOf(RateExceededException.class, sink.expectError());
  }

  @Test
  void sharesALimiterWithStreamsWithoutContext() {
    Limiter limiter = limiter("bucket(1/100ms)");
    var with = run(numbersWithOffsets(), ThrottleWithContext.<Integer, Long>of(limiter), 1);
    var without = run(numbers(1), Throttle.of(limiter), 1);
    with.expectNext(withOffset(1));
    after(100);
    without.expectNext(1).expectComplete();
    with.cancel();
  }
}
