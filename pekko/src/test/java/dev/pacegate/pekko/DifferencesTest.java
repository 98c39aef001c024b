package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Bucket;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.pekko.stream.ThrottleMode;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.stream.testkit.javadsl.TestSource;
import org.apache.pekko.util.TokenBucket;
import org.junit.jupiter.api.Test;

/**
 * Where this is not as Pekko's stage, on purpose: docs/pekko.md. Pekko's own bucket says what its
 * stage does.
 */
class DifferencesTest extends StreamTest {

  /** Pekko's bucket on a clock of our own. */
  private static final class PekkosBucket extends TokenBucket {
    private long now;

    PekkosBucket(long capacity, long nanosBetweenTokens) {
      super(capacity, nanosBetweenTokens);
      init();
    }

    @Override
    public long currentTime() {
      return now;
    }

    /** Returns when an element goes that comes at {@code instant}. */
    long emits(long instant) {
      now = instant;
      return now + offer(1);
    }
  }

  /** Returns when elements leave that come at the given instants, in milliseconds. */
  private List<Long> emissions(Limit limit, long... instants) {
    var emitted = new ArrayList<Long>();
    var source =
        TestSource.<Integer>create(system)
            .via(Throttle.<Integer>byCost(owning(limit), n -> Cost.ONE))
            .to(Sink.foreach(n -> emitted.add(time.nanoTime() / 1_000_000)))
            .run(materializer);
    for (long instant : instants) {
      after(instant - time.nanoTime() / 1_000_000);
      source.sendNext(1);
    }
    after(10_000);
    source.sendComplete();
    return emitted;
  }

  @Test
  void aBurstOfOneIsASpacing() {
    var pekkos = new PekkosBucket(1, 100);
    assertEquals(
        List.of(0L, 250L, 300L), List.of(pekkos.emits(0), pekkos.emits(250), pekkos.emits(260)));
    assertEquals(
        List.of(0L, 250L, 350L), emissions(Throttle.limit(1, millis(100), 1), 0, 250, 260));
  }

  @Test
  void aBurstOfZeroMakesNoElementWaitForATickAfterIdleness() {
    var pekkos = new PekkosBucket(0, 300);
    assertEquals(List.of(300L, 900L), List.of(pekkos.emits(0), pekkos.emits(700)));
    assertEquals(List.of(300L, 700L), emissions(Throttle.limit(1, millis(300), 0), 0, 700));
  }

  @Test
  void theRateIsExact() {
    Limit limit = Throttle.limit(3, Duration.ofNanos(10), 2);
    var pekkos = new PekkosBucket(2, 10 / 3);
    long last = 0;
    for (int element = 1; element <= 302; element++) {
      last = pekkos.emits(last);
    }
    assertEquals(900, last, "300 after the burst, 11 percent too fast");
    var throttle = Throttle.<Integer>byCost(owning(limit), n -> Cost.ONE);
    assertEquals(1000, arrivals(numbers(302), throttle, Duration.ofNanos(1)).get(301));
  }

  @Test
  void aChangeOfTheRateGivesNoBurst() {
    Limiter limiter = limiter(Throttle.limit(10, millis(1000), 5));
    var ends = run(Throttle.<Integer>of(limiter), 20);
    ends.send(from(1, 5));
    ends.expect(from(1, 5));
    limiter.setLimit(Throttle.limit(20, millis(1000), 5));
    ends.source().sendNext(6);
    ends.expectNothing();
    after(50);
    ends.sink().expectNext(6);
    ends.complete();
  }

  @Test
  void aChangeRetimesWaiters() {
    Limiter limiter = limiter(Throttle.limit(1, Duration.ofHours(1), 1));
    var sink = run(numbers(2), Throttle.of(limiter), 2);
    sink.expectNext(1);
    limiter.setLimit(Throttle.limit(1, millis(100), 1));
    after(100);
    sink.expectNext(2).expectComplete();
  }

  @Test
  void waitsForLongerThanAWheelCan() {
    var sink =
        run(
            numbers(2),
            Throttle.<Integer>byCost(
                owning(Throttle.limit(1, Duration.ofDays(300), 1)), n -> Cost.ONE),
            2);
    sink.expectNext(1);
    time.advance(Duration.ofDays(300).minusNanos(1));
    sink.expectNoMessage(Duration.ZERO);
    time.advanceNanos(1);
    sink.expectNext(2).expectComplete();
  }

  @Test
  void aHugeCostIsNoWayRoundTheLimit() {
    var pekkos = new PekkosBucket(0, Duration.ofDays(300).toNanos());
    assertTrue(pekkos.offer(356) < 0, "so it goes at once");
    var sink =
        run(
            numbers(1),
            Throttle.<Integer>byCost(
                owning(Throttle.limit(1, Duration.ofDays(300), 0)), n -> Cost.of(356)),
            1);
    time.advance(Duration.ofDays(365 * 99));
    sink.expectNoMessage(Duration.ZERO);
    sink.cancel();
  }

  @Test
  void aBurstBelowZeroIsRefusedAtOnce() {
    Flow.<Integer>create().throttle(1, millis(100), -2, ThrottleMode.shaping());
    var ours = assertThrows(IllegalArgumentException.class, () -> Throttle.of(1, millis(100), -2));
    assertEquals("maximumBurst must not be negative: -2", ours.getMessage());
  }

  @Test
  void noNumberMeansUnlimited() {
    var hundredDays = Duration.ofDays(100);
    assertEquals(
        List.of(0L, 4L), emissions(Throttle.limit(Integer.MAX_VALUE, hundredDays, 1), 0, 0));
    assertEquals(
        from(1, 5),
        await(numbers(5).via(Throttle.of(Limits.unlimited())).runWith(Sink.seq(), materializer)));
  }

  @Test
  void theAutomaticBurstIsPekkos() {
    assertEquals(1, burst(19, Duration.ofSeconds(1)));
    assertEquals(2, burst(20, Duration.ofSeconds(1)));
    assertEquals(10, burst(100, Duration.ofSeconds(1)));
    assertEquals(20, burst(200, Duration.ofSeconds(1)));
    assertEquals(30, burst(300, Duration.ofSeconds(1)));
    assertEquals(1, burst(1, Duration.ofDays(36500)));
    assertEquals(100_000_000, burst(1, Duration.ofNanos(1)));
    assertEquals(100_000_000, burst(Long.MAX_VALUE / 4, Duration.ofNanos(Long.MAX_VALUE / 4)));
  }

  private static long burst(long elements, Duration per) {
    return Throttle.limit(elements, per).burst();
  }

  @Test
  void theNumbersAreChecked() {
    for (long elements : new long[] {0, -1, Long.MIN_VALUE, 11}) {
      assertThrows(
          IllegalArgumentException.class, () -> Throttle.of(elements, Duration.ofNanos(10)));
    }
    for (Duration per : List.of(Duration.ZERO, Duration.ofNanos(-1))) {
      assertThrows(IllegalArgumentException.class, () -> Throttle.of(1, per));
      assertThrows(IllegalArgumentException.class, () -> Throttle.of(1, per, 1));
    }
  }

  @Test
  void aBurstOfZeroIsABucketThatIsEmptyAtFirst() {
    assertEquals(Limits.parse("bucket(1/300ms, initial=empty)"), Throttle.limit(1, millis(300), 0));
    assertEquals(Limits.parse("bucket(5/1s, burst=7)"), Throttle.limit(5, millis(1000), 7));
    assertEquals(Bucket.Initial.USUAL, Throttle.limit(5, millis(1000)).initial());
  }

  @Test
  void flowsCanBeUsedFromScalasSources() {
    var all =
        Source.range(1, 3)
            .asScala()
            .via(Throttle.<Integer>of(100, millis(1)))
            .asJava()
            .runWith(Sink.seq(), materializer);
    assertEquals(List.of(1, 2, 3), await(all));
  }
}
