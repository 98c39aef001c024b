package dev.pacegate.permit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How much of a limit lost requests spend now, as snapshots tell. */
class SpentByLostTest {

  private final ManualTime time = ManualTime.manual();

  private static long spent(Limiter limiter) {
    return limiter.snapshot().spentByLost();
  }

  @Test
  void lostUnitsCountUntilTheLimitGivesThemBack() {
    Limiter limiter = Limiter.builder("peer(10/1m, unanswered=10s)").time(time).build();
    limiter.tryAcquire().orElseThrow().answered();
    assertEquals(0, spent(limiter));
    limiter.tryAcquire(3).orElseThrow().lost();
    limiter.tryAcquire(2).orElseThrow().close();
    assertEquals(5, spent(limiter));
    assertEquals(2, limiter.snapshot().lost());
    time.advance(Duration.ofSeconds(69));
    assertEquals(5, spent(limiter));
    time.advance(Duration.ofSeconds(2));
    assertEquals(0, spent(limiter));
    assertEquals(2, limiter.snapshot().lost());
  }

  @Test
  void aLimitThatCountsStartsSpendsNothingForThem() {
    Limiter limiter = Limiter.builder("starts(10/1m)").time(time).build();
    limiter.tryAcquire(1).orElseThrow().lost();
    assertEquals(0, spent(limiter));
  }

  @Test
  void eachKeyHasItsOwn() {
    KeyedLimiter<String> keyed = KeyedLimiter.builder("peer(10/1m)").time(time).build();
    keyed.tryAcquire("a").orElseThrow().lost();
    assertEquals(1, spent(keyed.limiter("a")));
    assertEquals(0, spent(keyed.limiter("b")));
  }
}
