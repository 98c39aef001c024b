package dev.pacegate.limiter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * What a limiter says of requests in a dry run: what holds them up, and what the limit would do.
 */
class DryRunDiagnosisTest {

  private final ManualTime time = ManualTime.manual();
  private final Limiter limiter = Limiter.builder("2/1m").time(time).build();

  @Test
  void nothingHoldsUpACostThatCanNeverPass() {
    assertThrows(CostTooLargeException.class, () -> limiter.bottleneck(Cost.of(3)));
    limiter.dryRun(true);
    assertEquals(Optional.empty(), limiter.bottleneck(Cost.of(3)));
    assertTrue(limiter.tryAcquire(3).isPresent());
    limiter.dryRun(false);
    assertThrows(CostTooLargeException.class, () -> limiter.bottleneck(Cost.of(3)));
  }

  @Test
  void anEstimateTellsWhatTheLimitWouldDo() {
    limiter.dryRun(true);
    assertTrue(limiter.tryAcquire(2).isPresent());
    assertEquals(Duration.ofMinutes(1), limiter.estimateWait(1));
    assertThrows(CostTooLargeException.class, () -> limiter.estimateWait(3));
  }

  @Test
  void soItIsForAKey() {
    try (KeyedLimiter<String> keyed = KeyedLimiter.<String>of("2/1m")) {
      Limiter key = keyed.limiter("a");
      keyed.all().dryRun(true);
      assertEquals(Optional.empty(), key.bottleneck(Cost.of(3)));
      assertThrows(CostTooLargeException.class, () -> key.estimateWait(3));
    }
  }
}
