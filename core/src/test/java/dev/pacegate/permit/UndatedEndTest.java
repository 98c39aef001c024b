package dev.pacegate.permit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Time;
import dev.pacegate.time.Timer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answered ends that take no reading of the clock: the next reading dates them. */
class UndatedEndTest {

  /** Counts how often it is read. */
  private static final class CountedTime implements Time {

    final ManualTime time = ManualTime.manual();
    int readings;

    @Override
    public long nanoTime() {
      readings++;
      return time.nanoTime();
    }

    @Override
    public Timer.Scheduled at(long instant, Runnable task) {
      return time.at(instant, task);
    }
  }

  private final CountedTime time = new CountedTime();

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  private static List<Permit> take(Limiter limiter, int count) {
    var permits = new ArrayList<Permit>();
    for (int i = 0; i < count; i++) {
      permits.add(limiter.tryAcquire().orElseThrow());
    }
    return permits;
  }

  private int readingsOf(Limiter limiter, Consumer<Permit> end) {
    time.time.advance(Duration.ofSeconds(1)); // a bucket may be empty at first
    Permit permit = limiter.tryAcquire().orElseThrow();
    int before = time.readings;
    end.accept(permit);
    int readings = time.readings - before;
    assertEquals(0, limiter.snapshot().open());
    return readings;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "concurrent(1)",
        "concurrent(1000)",
        "peer(2048/1s)",
        "peer(1000000/1ms)",
        "peer(5000/1s) & concurrent(3) & 10/1s",
      })
  void anAnsweredEndReadsNoClock(String limit) {
    assertEquals(0, readingsOf(limiter(limit), Permit::answered));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "peer(1/1s)",
        "peer(2047/1s)",
        "peer(100000/1s, counted=1s)",
        "peer(100000/1s, counted=headers)",
        "peer(bucket(100000/1s, burst=5))",
        "peer(100/1s) & concurrent(3)",
      })
  void anEndThatMayDelayOthersReadsTheClock(String limit) {
    assertEquals(1, readingsOf(limiter(limit), Permit::answered));
  }

  @Test
  void anyOtherEndReadsTheClock() {
    assertEquals(1, readingsOf(limiter("concurrent(1)"), Permit::notSent));
    assertEquals(1, readingsOf(limiter("concurrent(1)"), Permit::lost));
    assertEquals(1, readingsOf(limiter("concurrent(1)"), Permit::close));
  }

  @Test
  void anEndAfterAChangeOfTheLimitReadsTheClock() {
    Limiter limiter = limiter("concurrent(1)");
    limiter.setLimit(Limits.parse("concurrent(2)"));
    assertEquals(1, readingsOf(limiter, Permit::answered));
  }

  @Test
  void anEndThatAFileKeepsReadsTheClock(@TempDir Path folder) {
    try (Limiter limiter =
        Limiter.builder("peer(5000/1s)").time(time).state(folder.resolve("state")).build()) {
      assertEquals(1, readingsOf(limiter, Permit::answered));
    }
  }

  @Test
  void onlySomeAreUndatedAtATime() {
    Limiter limiter = limiter("concurrent(1000)");
    List<Permit> permits = take(limiter, 90);
    int before = time.readings;
    permits.forEach(Permit::answered);
    assertEquals(10, time.readings - before);
    assertEquals(1000, take(limiter, 1000).size());
  }

  @Test
  void aPermitEndsOnce() {
    Limiter limiter = limiter("concurrent(3)");
    List<Permit> permits = take(limiter, 3);
    permits.get(0).answered();
    permits.get(0).answered();
    permits.get(0).notSent();
    assertEquals(2, limiter.snapshot().open());
    assertTrue(limiter.tryAcquire().isPresent());
    assertFalse(limiter.tryAcquire().isPresent());
  }

  @Test
  void anEndIsDatedByTheNextReading() {
    Limiter limiter = limiter("peer(2048/1s, margin=0s)");
    List<Permit> permits = take(limiter, 2048);
    time.time.advance(Duration.ofMillis(300));
    permits.get(0).answered(); // 300, undated
    time.time.advance(Duration.ofMillis(100));
    assertFalse(limiter.tryAcquire().isPresent()); // it is 400
    time.time.advance(Duration.ofSeconds(1).minusNanos(1));
    assertFalse(limiter.tryAcquire().isPresent());
    time.time.advance(Duration.ofNanos(1));
    assertTrue(limiter.tryAcquire().isPresent());
    assertFalse(limiter.tryAcquire().isPresent());
  }

  @ParameterizedTest
  @ValueSource(strings = {"concurrent(1)", "concurrent(1) & peer(9999/1s)"})
  void anEndWakesTheWaiterInLine(String limit) {
    Limiter limiter = limiter(limit);
    Permit permit = limiter.tryAcquire().orElseThrow();
    CompletableFuture<Permit> next = limiter.acquireAsync();
    CompletableFuture<Permit> last = limiter.acquireAsync();
    assertFalse(next.isDone());
    permit.answered();
    assertTrue(next.isDone());
    assertFalse(last.isDone());
    next.join().answered();
    last.join().answered();
    assertTrue(limiter.acquireAsync().isDone(), "the last end was undated");
    assertEquals(0, limiter.snapshot().waiting());
  }

  @Test
  void aWaiterThatComesAfterAnUndatedEndWaitsForIt() {
    Limiter limiter = limiter("peer(2048/1s, margin=0s)");
    take(limiter, 2048).get(0).answered();
    CompletableFuture<Permit> next = limiter.acquireAsync();
    time.time.advance(Duration.ofSeconds(1).minusNanos(1));
    assertFalse(next.isDone());
    time.time.advance(Duration.ofNanos(1));
    assertTrue(next.isDone());
  }
}
