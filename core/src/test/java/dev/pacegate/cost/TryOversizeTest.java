package dev.pacegate.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Costs that pass only after a wait in the queue, asked for without one. */
class TryOversizeTest {

  private final ManualTime time = ManualTime.manual();

  private Limiter limiter(String limit) {
    return Limiter.builder(Limits.parse(limit)).time(time).executor(Runnable::run).build();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "bucket(1/200ms, burst=5)",
        "bucket(1/200ms, burst=5) & 100/1s",
        "bucket(1/200ms, burst=5, initial=empty)"
      })
  void aCostAboveTheBurstIsSaidToBeTooLarge(String limit) {
    Limiter limiter = limiter(limit);
    for (int i = 0; i < 3; i++) {
      var refused = assertThrows(CostTooLargeException.class, () -> limiter.tryAcquire(6));
      assertTrue(
          refused.toString().contains("a cost of 6 can never pass under " + limit + " at once"));
      time.advance(Duration.ofMinutes(1));
    }
    assertEquals(3, limiter.snapshot().refused());
    assertTrue(limiter.tryAcquire(5).isPresent());
    assertEquals(0, limiter.snapshot().waiting());
  }

  @Test
  void inTheQueueItPasses() {
    Limiter limiter = limiter("bucket(1/200ms, burst=5)");
    var waits = limiter.acquireAsync(6);
    time.advance(Duration.ofMillis(199));
    assertTrue(!waits.isDone());
    time.advance(Duration.ofMillis(1));
    assertTrue(waits.isDone());
  }

  /** Who polls will queue. */
  @Test
  void aPollRefusesNothing() {
    Limiter limiter = limiter("bucket(1/200ms, burst=5)");
    assertNull(limiter.poll(Cost.of(6)));
    assertEquals(0, limiter.snapshot().refused());
  }

  @Test
  void behindWaitersToo() {
    Limiter limiter = limiter("bucket(1/200ms, burst=5)");
    assertTrue(limiter.tryAcquire(5).isPresent());
    var waits = limiter.acquireAsync(5);
    assertThrows(CostTooLargeException.class, () -> limiter.tryAcquire(6));
    assertTrue(limiter.tryAcquire(5).isEmpty());
    assertTrue(waits.cancel(false));
  }

  @Test
  void aPauseIsNoReason() {
    Limiter limiter = limiter("bucket(1/200ms, burst=5)");
    limiter.pause();
    assertTrue(limiter.tryAcquire(5).isEmpty());
    limiter.resume();
    limiter.pauseFor(Duration.ofSeconds(1));
    assertTrue(limiter.tryAcquire(5).isEmpty());
  }

  /** Whatever has gone before, a cost that goes at some instant is not too large at another. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "5/1s",
        "bucket(3/1s, burst=5)",
        "bucket(3/1s, burst=5, slack=1s)",
        "bucket(3/1s, burst=2, pay=later, debt=3)",
        "warmup(5/1s, over=3s)",
        "fixed(5/1s)",
        "aligned(5/1m)",
        "peer(5/1s)",
        "peer(bucket(3/1s, burst=5))",
        "concurrent(5) & 5/1s",
        "5/1s & bucket(3/1s, burst=5) & warmup(5/1s, over=3s)"
      })
  void aCostThatMayGoIsNeverTooLarge(String limit) {
    long seed = Long.getLong("pacegate.seed", new Random().nextLong());
    var random = new Random(seed);
    Limiter limiter = limiter(limit);
    int granted = 0;
    for (int i = 0; i < 2000; i++) {
      try {
        var permit = limiter.tryAcquire(1 + random.nextInt(5));
        granted += permit.isPresent() ? 1 : 0;
        permit.ifPresent(Permit::answered);
      } catch (CostTooLargeException wrong) {
        throw new AssertionError("seed " + seed, wrong);
      }
      time.advance(Duration.ofNanos(random.nextLong(2_000_000_000)));
    }
    assertTrue(granted > 10, "seed " + seed);
  }
}
