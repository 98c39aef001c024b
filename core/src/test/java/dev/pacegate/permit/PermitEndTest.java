package dev.pacegate.permit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a permit ends that is taken by hand, in a try block. */
class PermitEndTest {

  private final ManualTime time = ManualTime.manual();

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).build();
  }

  private static void timesOut() throws IOException {
    throw new SocketTimeoutException();
  }

  @Test
  void aFailureInATryBlockLosesTheRequest() {
    Limiter limiter = limiter("peer(1/1m, unanswered=5m, margin=0s)");
    assertThrows(
        SocketTimeoutException.class,
        () -> {
          try (Permit permit = limiter.acquire()) {
            timesOut();
            permit.answered();
          }
        });
    assertEquals(0, limiter.snapshot().open());
    assertEquals(Duration.ofMinutes(6), limiter.estimateWait(1));
  }

  @Test
  void aTryBlockThatSaysAnsweredEndsThePermitAsAnswered() throws Exception {
    Limiter limiter = limiter("peer(1/1m, unanswered=5m, margin=0s)");
    try (Permit permit = limiter.acquire()) {
      permit.answered();
    }
    assertEquals(Duration.ofMinutes(1), limiter.estimateWait(1));
  }

  @Test
  void aTryBlockThatSaysNothingLosesTheRequest() {
    Limiter limiter = limiter("peer(1/1m, unanswered=5m, margin=0s)");
    limiter.tryAcquire().orElseThrow().close();
    assertEquals(Duration.ofMinutes(6), limiter.estimateWait(1));
  }

  @Test
  void onlyTheFirstEndCounts() {
    Limiter limiter = limiter("peer(1/1m, unanswered=5m, margin=0s)");
    Permit permit = limiter.tryAcquire().orElseThrow();
    permit.notSent();
    permit.lost();
    permit.answered();
    permit.close();
    assertEquals(Duration.ZERO, limiter.estimateWait(1));
  }

  @Test
  void aSettledPermitIsAnswered() {
    Limiter limiter = limiter("peer(10/1m, unanswered=5m, margin=0s)");
    try (Permit permit = limiter.tryAcquire(Cost.of(10)).orElseThrow()) {
      permit.settle(10);
    }
    assertEquals(Duration.ofMinutes(1), limiter.estimateWait(10));
  }

  @Test
  void aSettledPermitMayStillBeLost() {
    Limiter limiter = limiter("peer(10/1m, unanswered=5m, margin=0s)");
    try (Permit permit = limiter.tryAcquire(Cost.of(10)).orElseThrow()) {
      permit.settle(10);
      permit.lost();
    }
    assertEquals(Duration.ofMinutes(6), limiter.estimateWait(10));
  }

  @ParameterizedTest
  @ValueSource(strings = {"10/1m", "bucket(10/1m, burst=10)", "unlimited"})
  void underALimitThatNeedsNoEndNoEndDoesAnything(String limit) {
    Limiter limiter = limiter(limit);
    Permit permit = limiter.tryAcquire().orElseThrow();
    Duration before = limiter.estimateWait(10);
    permit.answered();
    permit.notSent();
    permit.lost();
    permit.failed(new IOException());
    permit.close();
    assertEquals(before, limiter.estimateWait(10));
  }

  @Test
  void aLostRequestMayBeCountedUntilTenSecondsAfterItsStart() {
    Limiter peer = limiter("peer(1/1s, margin=0s)");
    peer.tryAcquire().orElseThrow().lost();
    assertEquals(Duration.ofSeconds(11), peer.estimateWait(1));
    assertEquals(
        Limits.parse("aligned(1/1m, unanswered=10s)"), Limits.parse("aligned(1/1m)"), "as there");
  }

  @Test
  void aLostRequestFreesItsPlaceAtOnce() {
    Limiter limiter = limiter("concurrent(1)");
    limiter.tryAcquire().orElseThrow().close();
    assertTrue(limiter.tryAcquire().isPresent());
  }
}
