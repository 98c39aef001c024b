package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.stream.testkit.javadsl.TestSource;
import org.junit.jupiter.api.Test;

/** Streams that share a limiter, and a limit that changes while they wait. */
class SharedLimiterTest extends StreamTest {

  /** Runs a stream that counts what it passes, and never ends by itself. */
  private void endless(Limiter limiter, Runnable onElement) {
    Source.repeat(1)
        .via(Throttle.of(limiter))
        .runWith(Sink.foreach(element -> onElement.run()), materializer);
  }

  @Test
  void twoStreamsKeepTheLimitTogetherAndNoneStarves() {
    Limiter limiter = limiter("10/1s");
    Audit audit = Audit.of(Limits.parse("10/1s"));
    var counts = List.of(new AtomicInteger(), new AtomicInteger());
    for (AtomicInteger count : counts) {
      endless(
          limiter,
          () -> {
            count.incrementAndGet();
            audit.add(time.nanoTime());
          });
    }
    IntStream.range(0, 10_000).forEach(step -> time.advanceNanos(997_000));
    assertTrue(audit.report().kept(), audit.report()::text);
    assertEquals(100, counts.get(0).get() + counts.get(1).get());
    counts.forEach(count -> assertTrue(count.get() >= 9, counts::toString));
    limiter.close();
  }

  @Test
  void aChangedLimitRetimesThoseWhoWaitWithoutABurst() {
    Limiter limiter = limiter("bucket(1/1h)");
    var instants = new ArrayList<Long>();
    for (int stream = 0; stream < 6; stream++) {
      Source.single(stream)
          .via(Throttle.of(limiter))
          .runWith(Sink.foreach(n -> instants.add(time.nanoTime() / 1_000_000)), materializer);
    }
    assertEquals(5, limiter.snapshot().waiting());
    limiter.setLimit("bucket(1/100ms)");
    assertEquals(List.of(0L), instants);
    IntStream.range(0, 600).forEach(step -> after(1));
    assertEquals(List.of(0L, 100L, 200L, 300L, 400L, 500L), instants);
  }

  @Test // FT-30
  void aChangedRateTakesEffect() {
    Limiter limiter = limiter(Throttle.limit(1, millis(100)));
    var instants = new ArrayList<Long>();
    var source =
        TestSource.<Integer>create(system)
            .via(Throttle.of(limiter))
            .to(Sink.foreach(element -> instants.add(time.nanoTime() / 1_000_000)))
            .run(materializer);
    from(1, 10).forEach(source::sendNext);
    IntStream.range(0, 900).forEach(step -> after(1));
    limiter.setLimit(Throttle.limit(1, millis(200)));
    from(11, 20).forEach(source::sendNext);
    IntStream.range(0, 2000).forEach(step -> after(1));
    source.sendComplete();
    assertEquals(
        List.of(0L, 100L, 200L, 300L, 400L, 500L, 600L, 700L, 800L, 900L), instants.subList(0, 10));
    assertEquals(
        List.of(1100L, 1300L, 1500L, 1700L, 1900L, 2100L, 2300L, 2500L, 2700L, 2900L),
        instants.subList(10, 20));
  }

  @Test
  void aCancelledStreamGivesUpItsPlace() {
    Limiter limiter = limiter("bucket(1/1s)");
    assertTrue(limiter.tryAcquire().isPresent());
    var first = run(numbers(1), Throttle.of(limiter), 1);
    var second = run(numbers(1), Throttle.of(limiter), 1);
    assertEquals(2, limiter.snapshot().waiting());
    first.cancel();
    assertEquals(1, limiter.snapshot().waiting());
    after(1000);
    second.expectNext(1).expectComplete();
    assertEquals(2, limiter.snapshot().granted());
  }

  @Test
  void aStreamSharesALimiterWithThreads() {
    Limiter limiter = limiter("1/1s");
    var sink = run(numbers(2), Throttle.of(limiter), 2);
    sink.expectNext(1);
    assertTrue(limiter.tryAcquire(Cost.ONE).isEmpty(), "no request overtakes what waits");
    after(1000);
    sink.expectNext(2).expectComplete();
    assertTrue(limiter.tryAcquire().isEmpty());
  }

  @Test
  void aPauseHoldsTheStreamUntilItEnds() {
    Limiter limiter = limiter("unlimited");
    limiter.pause();
    var sink = run(numbers(3), Throttle.of(limiter), 3);
    after(10_000);
    sink.expectNoMessage(Duration.ZERO);
    limiter.resume();
    sink.expectNext(1, 2, 3);
    sink.expectComplete();
  }
}
