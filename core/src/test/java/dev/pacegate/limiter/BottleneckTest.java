package dev.pacegate.limiter;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Bottleneck;
import dev.pacegate.CostTooLargeException;
import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a request would wait for. */
class BottleneckTest {

  private final ManualTime time = ManualTime.manual();

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  private static void take(Limiter limiter, Cost cost, int times) {
    for (int i = 0; i < times; i++) {
      limiter.tryAcquire(cost).orElseThrow().answered();
    }
  }

  private static void says(String reason, Duration atLeast, Optional<Bottleneck> found) {
    assertEquals(reason, found.orElseThrow().reason());
    assertEquals(atLeast, found.get().atLeast());
  }

  @Test
  void nothingHoldsUpARequestThatWouldGo() {
    Limiter limiter = limiter("10/1m & concurrent(4)");
    assertEquals(Optional.empty(), limiter.bottleneck());
    take(limiter, Cost.ONE, 9);
    assertEquals(Optional.empty(), limiter.bottleneck());
    assertEquals(9, limiter.snapshot().granted());
  }

  @Test
  void theTermThatTakesLongestBinds() {
    Limiter limiter = limiter("2/1s & 5/1m & 10/1h");
    take(limiter, Cost.ONE, 2);
    says("2/1s: 2 of 2 spent", ofSeconds(1), limiter.bottleneck());
    for (int i = 0; i < 3; i++) {
      time.advance(ofSeconds(1));
      take(limiter, Cost.ONE, 1);
    }
    says("5/1m: 5 of 5 spent", ofSeconds(57), limiter.bottleneck());
    assertEquals(Optional.of(Limits.parse("5/1m")), limiter.bottleneck().orElseThrow().term());
    time.advance(ofMinutes(1));
    take(limiter, Cost.ONE, 2);
    time.advance(ofSeconds(1));
    take(limiter, Cost.ONE, 2);
    time.advance(ofSeconds(1));
    take(limiter, Cost.ONE, 1);
    time.advance(ofMinutes(1));
    says("10/1h: 10 of 10 spent", ofMinutes(58).minusSeconds(5), limiter.bottleneck());
  }

  @Test
  void openRequestsAreTold() {
    Limiter limiter = limiter("concurrent(2)");
    Permit one = limiter.tryAcquire().orElseThrow();
    Permit other = limiter.tryAcquire().orElseThrow();
    says("concurrent(2): 2 of 2 open", Duration.ZERO, limiter.bottleneck());
    one.answered();
    other.answered();
    assertEquals(Optional.empty(), limiter.bottleneck());

    limiter = limiter("peer(3/1m)");
    one = limiter.tryAcquire().orElseThrow();
    take(limiter, Cost.ONE, 2);
    says("peer(3/1m): 3 of 3 spent, and 1 request is open", ofMillis(60_061), limiter.bottleneck());
    one.answered();
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  void aNamedCostIsCountedInItsOwnUnits() {
    Limiter limiter = limiter("60/1m & 90000/1m of tokens");
    take(limiter, Cost.of("tokens", 89_000), 1);
    assertEquals(Optional.empty(), limiter.bottleneck(Cost.of("tokens", 1_000)));
    says(
        "90000/1m of tokens: 89000 of 90000 spent, the request costs 1500",
        ofMinutes(1),
        limiter.bottleneck(Cost.of("tokens", 1_500)));
    Cost never = Cost.of("tokens", 90_001);
    assertThrows(CostTooLargeException.class, () -> limiter.bottleneck(never));
  }

  @Test
  void bucketsAndSpacings() {
    Limiter bucket = limiter("bucket(1/1s, burst=5)");
    take(bucket, Cost.of(5), 1);
    says("bucket(1/1s, burst=5): 5 of 5 spent", ofSeconds(1), bucket.bottleneck());
    Limiter spacing = limiter("spacing(100ms)");
    take(spacing, Cost.ONE, 1);
    says(
        "spacing(100ms): the gap after the last request is not over",
        ofMillis(100),
        spacing.bottleneck());
  }

  @Test
  void aPauseIsToldWithItsEndAndCause() {
    Limiter limiter = limiter("10/1m");
    String at12 =
        time.instant().plus(ofMinutes(2)).atZone(ZoneId.systemDefault()).toLocalTime().toString();
    limiter.pauseFor(ofMinutes(2));
    String reason = limiter.bottleneck().orElseThrow().reason();
    assertTrue(reason.startsWith("paused until " + at12), reason);
    assertTrue(!reason.contains("peer"), reason);
    limiter.peerRefused(ofMinutes(3));
    reason = limiter.bottleneck().orElseThrow().reason();
    assertTrue(reason.endsWith(", because the peer refused a request"), reason);
    says(reason, ofMinutes(3), limiter.bottleneck());
    limiter.pause();
    says("paused until resumed", Duration.ZERO, limiter.bottleneck());
    limiter.resume();
    assertEquals(Optional.empty(), limiter.bottleneck());
  }

  @Test
  void aKeyIsToldOfItsOwnLimitAndPause() {
    KeyedLimiter<String> keys =
        KeyedLimiter.builder("2/1m").within("5/1h").time(time).executor(Runnable::run).build();
    take(keys.limiter("a"), Cost.ONE, 2);
    says("2/1m: 2 of 2 spent", ofMinutes(1), keys.limiter("a").bottleneck());
    assertEquals(Optional.empty(), keys.limiter("b").bottleneck());
    take(keys.limiter("b"), Cost.ONE, 2);
    take(keys.limiter("c"), Cost.ONE, 1);
    says("5/1h: 5 of 5 spent", Duration.ofHours(1), keys.limiter("d").bottleneck());
    keys.limiter("e").peerRefused(Duration.ofHours(2));
    String reason = keys.limiter("e").bottleneck().orElseThrow().reason();
    assertTrue(reason.contains("paused until "), reason);
    assertTrue(reason.endsWith(", because the peer refused a request"), reason);
  }

  @Test
  void requestsAheadAreTold() {
    Limiter limiter = limiter("3/1m");
    take(limiter, Cost.ONE, 1);
    var large = limiter.acquireAsync(3);
    says("3/1m: 1 of 3 spent", ofMinutes(1), limiter.bottleneck());
    large.cancel(true);
    assertEquals(Optional.empty(), limiter.bottleneck());
    assertEquals(0, limiter.snapshot().waiting());
  }

  @Test
  void afterAChangeWhatAnEarlierLimitLetThroughIsTold() {
    Limiter limiter = limiter("100/1h");
    take(limiter, Cost.ONE, 100);
    limiter.setLimit("1/1m");
    time.advance(ofMinutes(2));
    says(
        "requests allowed under an earlier limit still count", ofMinutes(58), limiter.bottleneck());
  }

  @Test
  void inDryRunModeNothingHoldsUp() {
    Limiter limiter = limiter("1/1m");
    take(limiter, Cost.ONE, 1);
    limiter.dryRun(true);
    assertEquals(Optional.empty(), limiter.bottleneck());
  }
}
