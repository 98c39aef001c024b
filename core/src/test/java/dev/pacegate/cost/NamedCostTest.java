package dev.pacegate.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whether a permit can be settled depends on the verb, not on numbers, and not on waits. */
class NamedCostTest {

  private final ManualTime time = ManualTime.manual();

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 2})
  void aPermitOfANamedCostCanSettleToAnyNumber(long cost) throws Exception {
    Limiter limiter = limiter("90000/1m");
    List<Permit> permits =
        List.of(
            limiter.acquire(cost),
            limiter.acquire(Cost.of(cost)),
            limiter.tryAcquire(cost).orElseThrow(),
            limiter.tryAcquire(Cost.of(cost)).orElseThrow(),
            limiter.tryAcquire(cost, Duration.ofSeconds(1)).orElseThrow(),
            limiter.acquireAsync(cost).join(),
            limiter.acquire(Cost.of("tokens", cost)));
    permits.forEach(permit -> permit.settle(10));
    permits.forEach(permit -> assertEquals(time.nanoTime(), permit.releasedAt()));
    long left = 90_000 - 10L * permits.size();
    assertEquals(Duration.ZERO, limiter.estimateWait(left));
    assertEquals(Duration.ofMinutes(1), limiter.estimateWait(left + 1));
  }

  @Test
  void aPermitOfAKeysNamedCostCanSettle() {
    KeyedLimiter<String> keyed = KeyedLimiter.of("90000/1m");
    keyed.limiter("a").tryAcquire(Cost.of(1)).orElseThrow().settle(90_000);
    assertEquals(false, keyed.tryAcquire("a").isPresent());
  }

  @Test
  void callersWithoutACostShareOnePermit() {
    Limiter limiter = limiter("90000/1m");
    assertSame(limiter.tryAcquire().orElseThrow(), limiter.tryAcquire().orElseThrow());
    assertSame(limiter.tryAcquire(), limiter.tryAcquire());
  }

  @Test
  void aPermitWithoutACostTellsTheSameAfterAWait() {
    Limiter limiter = limiter("1/1s");
    Permit atOnce = limiter.tryAcquire().orElseThrow();
    CompletableFuture<Permit> waiting = limiter.acquireAsync();
    time.advance(Duration.ofSeconds(1));
    Permit later = waiting.join();
    assertEquals(Duration.ofSeconds(1), later.waited());
    var first = assertThrows(IllegalStateException.class, atOnce::releasedAt);
    var second = assertThrows(IllegalStateException.class, later::releasedAt);
    assertEquals(first.getMessage(), second.getMessage());
    assertThrows(IllegalStateException.class, () -> atOnce.settle(1));
    assertThrows(IllegalStateException.class, () -> later.settle(1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"peer(10/1s)", "concurrent(10)", "aligned(10/1m)"})
  void aPermitThatMustEndKnowsItsInstantWithoutACost(String limit) {
    Permit permit = limiter(limit).tryAcquire().orElseThrow();
    assertEquals(time.nanoTime(), permit.releasedAt());
    permit.settle(2);
  }

  @Test
  void aStampedLimiterAlwaysKnows() {
    Limiter limiter = Limiter.builder("10/1s").time(time).stamped(true).build();
    assertEquals(time.nanoTime(), limiter.tryAcquire().orElseThrow().releasedAt());
  }

  @Test
  void aNamedOneEqualsTheOneThatStandsForNone() {
    assertEquals(Cost.ONE, Cost.of(1));
    assertNotSame(Cost.ONE, Cost.of(1));
    assertNotSame(Cost.ONE, Cost.of(2).withAmount(1));
  }
}
