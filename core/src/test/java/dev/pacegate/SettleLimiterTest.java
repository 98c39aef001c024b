package dev.pacegate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Cost;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Permits whose cost is an estimate: tokens are known when the answer is there. */
class SettleLimiterTest {

  private final ManualTime time = ManualTime.manual();

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  private static Permit take(Limiter limiter, Cost cost) {
    return limiter.tryAcquire(cost).orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "60/1m & 1000/1m of tokens",
        "peer(60/1m & 1000/1m of tokens)",
        "60/1m & bucket(1000/1m, burst=1000, of=tokens)"
      })
  void whatWasEstimatedTooHighLetsThoseGoWhoWait(String limit) {
    Limiter limiter = limiter(limit);
    Permit permit = take(limiter, Cost.of("tokens", 900));
    CompletableFuture<Permit> waiting = limiter.acquireAsync(Cost.of("tokens", 500));
    assertFalse(waiting.isDone());
    permit.settle(Cost.of("tokens", 500));
    assertTrue(waiting.isDone());
    permit.close();
    assertTrue(limiter.tryAcquire(Cost.of("tokens", 1)).isEmpty());
  }

  @ParameterizedTest
  @ValueSource(strings = {"1000/1m of tokens", "peer(1000/1m of tokens)"})
  void whatWasEstimatedTooLowIsPaidBeforeTheNextOneGoes(String limit) {
    Limiter limiter = limiter(limit);
    Permit permit = take(limiter, Cost.of("tokens", 100));
    permit.settle(Cost.of("tokens", 1200));
    permit.close();
    assertTrue(limiter.tryAcquire(Cost.of("tokens", 1)).isEmpty());
    assertTrue(limiter.estimateWait(Cost.of("tokens", 1)).compareTo(Duration.ofMinutes(1)) >= 0);
  }

  @Test
  void aPermitThatCountsUntilItsEndIsSettledBefore() {
    Limiter limiter = limiter("peer(10/1s)");
    Permit permit = take(limiter, Cost.of(5));
    permit.close();
    assertThrows(IllegalStateException.class, () -> permit.settle(3));
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  void onlyAPlainPermitOfOneIsShared() {
    Limiter limiter = limiter("10/1s");
    Permit shared = take(limiter, Cost.ONE);
    assertThrows(IllegalStateException.class, () -> shared.settle(3));
    take(limiter, Cost.of(5)).settle(2);
    assertTrue(limiter.tryAcquire(Cost.of(7)).isPresent());
    assertTrue(limiter.tryAcquire().isEmpty());
  }

  @Test
  void openPermitsMoveAlongAsTheyAreWhenTheLimitChanges() {
    Limiter limiter = limiter("peer(10/1s)");
    Permit permit = take(limiter, Cost.of(9));
    permit.settle(4);
    limiter.setLimit("peer(10/1s) & concurrent(5)");
    take(limiter, Cost.of(6)).close();
    permit.close();
    time.advance(Duration.ofSeconds(2));
    take(limiter, Cost.of(10)).close();
    assertEquals(0, limiter.snapshot().open());
  }
}
