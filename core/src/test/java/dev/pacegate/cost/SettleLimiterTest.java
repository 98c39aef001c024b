package dev.pacegate.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
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
  void aSettledOverestimateLetsWaitersGo(String limit) {
    Limiter limiter = limiter(limit);
    Permit permit = take(limiter, Cost.of("tokens", 900));
    CompletableFuture<Permit> waiting = limiter.acquireAsync(Cost.of("tokens", 500));
    assertFalse(waiting.isDone());
    permit.settle(Cost.of("tokens", 500));
    assertTrue(waiting.isDone());
    permit.answered();
    assertTrue(limiter.tryAcquire(Cost.of("tokens", 1)).isEmpty());
  }

  @ParameterizedTest
  @ValueSource(strings = {"1000/1m of tokens", "peer(1000/1m of tokens)"})
  void aSettledUnderestimateIsPaidBeforeTheNextOneGoes(String limit) {
    Limiter limiter = limiter(limit);
    Permit permit = take(limiter, Cost.of("tokens", 100));
    permit.settle(Cost.of("tokens", 1200));
    permit.answered();
    assertTrue(limiter.tryAcquire(Cost.of("tokens", 1)).isEmpty());
    assertTrue(limiter.estimateWait(Cost.of("tokens", 1)).compareTo(Duration.ofMinutes(1)) >= 0);
  }

  @Test
  void aPermitThatCountsUntilItsEndIsSettledBefore() {
    Limiter limiter = limiter("peer(10/1s)");
    Permit permit = take(limiter, Cost.of(5));
    permit.answered();
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
    take(limiter, Cost.of(6)).answered();
    permit.answered();
    time.advance(Duration.ofSeconds(2));
    take(limiter, Cost.of(10)).answered();
    assertEquals(0, limiter.snapshot().open());
  }

  /** Such a permit is not open, whatever limit is in force by then. */
  @Test
  void aPermitThatNeededNoEndIsNotOpenUnderALimitThatNeedsOne() {
    Limiter limiter = limiter("10/1m");
    Permit before = take(limiter, Cost.of(5));
    limiter.setLimit("peer(10/1m, unanswered=0s, margin=0s)");
    time.advance(Duration.ofMinutes(3));
    Permit open = take(limiter, Cost.of(5));
    before.settle(1);
    assertTrue(limiter.tryAcquire(Cost.of(6)).isEmpty(), "5 are open");
    before.settle(3);
    assertTrue(limiter.tryAcquire(Cost.of(4)).isEmpty(), "5 are open, and 2 were missing");
    open.answered();
    time.advance(Duration.ofMinutes(1));
    take(limiter, Cost.of(10)).answered();
  }

  @Test
  void anUnstatedMeasureStaysAsItWas() {
    Limiter limiter = limiter("60/1m & 1000/1m of tokens");
    take(limiter, Cost.of(5).and("tokens", 900)).settle(2);
    assertTrue(limiter.tryAcquire(Cost.of("tokens", 101)).isEmpty(), "900 were charged");
    assertTrue(limiter.tryAcquire(Cost.of(58).and("tokens", 0)).isPresent());
    assertTrue(limiter.tryAcquire(Cost.of("tokens", 0)).isEmpty());
  }

  @Test
  void stampedPermitsOfOneCanBeSettled() {
    Limiter limiter = Limiter.builder("10/1s").time(time).stamped(true).build();
    take(limiter, Cost.ONE).settle(10);
    assertTrue(limiter.tryAcquire().isEmpty());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "10/1s",
        "bucket(10/1s, burst=10)",
        "fixed(10/1s)",
        "peer(10/1s)",
        "peer(bucket(10/1s, burst=10, initial=full))"
      })
  void neitherTheLargestCostNorItsCorrectionMakesRoom(String limit) {
    Limiter limiter = limiter(limit);
    take(limiter, Cost.of(8));
    Permit permit = take(limiter, Cost.of(2));
    permit.settle(Long.MAX_VALUE);
    assertTrue(limiter.tryAcquire().isEmpty());
    permit.settle(Long.MAX_VALUE);
    permit.settle(2);
    assertTrue(limiter.tryAcquire(Cost.of(3)).isEmpty(), "8 have gone already");
  }

  @Test
  void onlyOneCallIsSettled() {
    Permit permit = take(limiter("10/1s"), Cost.of(5));
    assertThrows(IllegalArgumentException.class, () -> permit.settle(Cost.none()));
    assertThrows(IllegalArgumentException.class, () -> permit.settle(Cost.ONE.plus(Cost.ONE)));
    assertThrows(IllegalArgumentException.class, () -> permit.settle(-1));
  }

  /** A key that is at rest is dropped; what was missing is then charged to the one in its place. */
  @Test
  void aMissingCostIsPaidThoughTheKeyWasAtRest() {
    KeyedLimiter<String> keyed = KeyedLimiter.builder("10/1s").within(limiter("unlimited")).build();
    Permit permit = keyed.limiter("a").tryAcquire(Cost.of(5)).orElseThrow();
    time.advance(Duration.ofMinutes(1));
    permit.settle(15);
    assertTrue(keyed.limiter("a").tryAcquire(Cost.of(1)).isEmpty());
    time.advance(Duration.ofMinutes(1));
    assertTrue(keyed.limiter("a").tryAcquire(Cost.of(10)).isPresent());
    time.advance(Duration.ofMinutes(1));
    assertEquals(0, keyed.size());
  }
}
