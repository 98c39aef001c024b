package dev.pacegate.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.Share;
import dev.pacegate.Snapshot;
import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Concurrent;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A bound on what open permits cost together. */
class WeightedConcurrentTest {

  private final ManualTime time = ManualTime.manual();
  private final Limiter limiter = limiter("concurrent(1000) of mb");

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  private static Cost mb(long amount) {
    return Cost.of("mb", amount);
  }

  @Test
  void isASemaphoreOfThatCost() {
    Permit large = limiter.tryAcquire(mb(700)).orElseThrow();
    Permit small = limiter.tryAcquire(mb(300)).orElseThrow();
    assertTrue(limiter.tryAcquire(mb(1)).isEmpty());
    assertTrue(limiter.tryAcquire().isPresent()); // it costs nothing of it
    var next = limiter.acquireAsync(mb(600));
    small.answered();
    assertFalse(next.isDone());
    large.close();
    assertTrue(next.isDone());
    assertEquals(
        List.of(1000L), limiter.snapshot().most().stream().map(Snapshot.Most::count).toList());
  }

  @Test
  void aCostAboveTheLimitNeverGoes() {
    assertThrows(CostTooLargeException.class, () -> limiter.tryAcquire(mb(1001)));
    assertTrue(limiter.tryAcquire(mb(1000)).isPresent());
  }

  @Test
  void settlingChangesWhatIsHeld() {
    Permit estimated = limiter.tryAcquire(mb(1000)).orElseThrow();
    var next = limiter.acquireAsync(mb(900));
    estimated.settle(mb(100));
    assertTrue(next.isDone());
    estimated.settle(mb(150)); // more than was left: over by as much as was missing
    next.join().answered();
    assertTrue(limiter.tryAcquire(mb(851)).isEmpty());
    assertTrue(limiter.tryAcquire(mb(850)).isPresent());
    assertEquals(1050, limiter.snapshot().most().get(0).count());
  }

  @Test
  void aLostPermitHoldsItsPlaceForAsLongAsIsSaid() {
    Limiter patient = limiter("concurrent(10, unanswered=3s) of mb");
    patient.tryAcquire(mb(8)).orElseThrow().lost();
    assertTrue(patient.tryAcquire(mb(3)).isEmpty());
    assertTrue(patient.tryAcquire(mb(2)).isPresent());
    time.advance(Duration.ofSeconds(3));
    assertTrue(patient.tryAcquire(mb(8)).isPresent());
  }

  @Test
  void changesCountWhatIsOpen() {
    Permit open = limiter.tryAcquire(mb(600)).orElseThrow();
    limiter.setLimit("concurrent(700) of mb & concurrent(2)");
    assertTrue(limiter.tryAcquire(mb(101)).isEmpty());
    limiter.setLimit("concurrent(1)");
    assertTrue(limiter.tryAcquire().isEmpty());
    limiter.setLimit("concurrent(500) of mb");
    assertTrue(limiter.tryAcquire(mb(1)).isEmpty());
    open.answered();
    assertTrue(limiter.tryAcquire(mb(500)).isPresent());
  }

  @Test
  void lanesReserveSharesOfTheCost() {
    Limiter shared =
        Limiter.builder("concurrent(10) of mb")
            .time(time)
            .lane("urgent", Share.weight(1).reserving(20))
            .build();
    assertTrue(shared.tryAcquire(mb(8)).isPresent());
    assertTrue(shared.tryAcquire(mb(1)).isEmpty());
    assertTrue(shared.lane("urgent").tryAcquire(mb(2)).isPresent());
  }

  @Test
  void theAuditCountsTheAmount() {
    var audit = Audit.of(Limits.parse("concurrent(10) of mb"));
    audit.add(0, 10, mb(6));
    audit.add(5, 20, mb(4));
    assertTrue(audit.verdict().kept());
    audit.add(9, 30, mb(1));
    assertEquals(
        "broken: at most 10 of mb open at any instant\n  most open: 11, at 9\n  limit that fits: at most 11 of mb open at any instant",
        audit.verdict().text());
  }

  @Test
  void madeByHandAsByText() {
    assertEquals(Limits.parse("concurrent(10) of mb"), Limits.concurrent(10).of("mb"));
    var plain =
        assertThrows(
            IllegalArgumentException.class,
            () -> new Concurrent(10, Measure.PLAIN, 0, Meter.NEVER));
    assertEquals("concurrent counts calls or a named cost, not the plain cost", plain.getMessage());
  }
}
