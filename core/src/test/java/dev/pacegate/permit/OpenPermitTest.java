package dev.pacegate.permit;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterListener;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limiter.LimitersInEachForm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Permits until they end: answered, lost, overdue or abandoned. */
class OpenPermitTest extends LimitersInEachForm {

  @Test
  void aPermitEndsOnce() {
    Limiter limiter = limiter("concurrent(2)");
    Permit first = limiter.tryAcquire().orElseThrow();
    Permit second = limiter.tryAcquire().orElseThrow();
    first.answered();
    first.answered();
    first.lost();
    first.notSent();
    assertEquals(1, limiter.snapshot().open());
    assertEquals(1, taken(limiter));
    second.answered();
  }

  @Test
  void aLostPermitStaysSpentUntilItCanNoLongerBeCounted() {
    Limiter limiter = limiter("peer(1/1s, margin=0s, unanswered=30s)");
    limiter.tryAcquire().orElseThrow().lost();
    time.advance(ofSeconds(30));
    assertTrue(limiter.tryAcquire().isEmpty());
    time.advance(ofSeconds(1));
    assertTrue(limiter.tryAcquire().isPresent());
  }

  @Test
  void anOpenPermitStaysSpentHoweverLongAndIsWarnedAboutOnce() {
    var overdue = new ArrayList<Long>();
    Limiter limiter = listening("peer(1/1s, unanswered=30s)", overdue, new ArrayList<>());
    Permit open = limiter.tryAcquire().orElseThrow();
    CompletableFuture<Permit> waiting = limiter.acquireAsync();
    time.advance(Duration.ofHours(5));
    assertFalse(waiting.isDone());
    assertEquals(1, overdue.size());
    assertEquals(Duration.ofHours(5), limiter.snapshot().oldestOpen());
    open.answered();
    time.advance(ofSeconds(2));
    assertTrue(waiting.isDone());
  }

  @Test
  void anAbandonedPermitCountsAsLost() {
    var abandoned = new ArrayList<Long>();
    Limiter limiter = listening("peer(1/1s, margin=0s, abandon=10m)", new ArrayList<>(), abandoned);
    Permit leaked = limiter.tryAcquire().orElseThrow();
    CompletableFuture<Permit> waiting = limiter.acquireAsync();
    time.advance(ofMinutes(10));
    assertEquals(1, abandoned.size());
    assertFalse(waiting.isDone());
    time.advance(ofSeconds(1));
    assertTrue(waiting.isDone());
    leaked.answered();
    assertEquals(1, limiter.snapshot().open());
  }

  @Test
  void anAbandonedPermitGivesBackItsPlace() {
    var abandoned = new ArrayList<Long>();
    Limiter limiter = listening("concurrent(1, abandon=5m)", new ArrayList<>(), abandoned);
    Permit leaked = limiter.tryAcquire().orElseThrow();
    CompletableFuture<Permit> waiting = limiter.acquireAsync();
    time.advance(ofMinutes(5).minusNanos(1));
    assertFalse(waiting.isDone());
    time.advanceNanos(1);
    assertTrue(waiting.isDone());
    assertEquals(1, abandoned.size());
    leaked.answered();
    assertTrue(limiter.tryAcquire().isEmpty());
    time.advance(ofMinutes(5));
    assertTrue(limiter.tryAcquire().isPresent());
  }

  @Test
  void aStageThatNeverEndsGivesBackItsPlaceWhenAbandoned() {
    Limiter limiter = limiter("concurrent(1, abandon=5m)");
    var unused = limiter.callAsync(() -> new CompletableFuture<String>());
    time.advance(ofMinutes(5));
    var answer = new CompletableFuture<String>();
    CompletableFuture<String> next = limiter.callAsync(() -> answer);
    assertEquals(1, limiter.snapshot().open());
    assertEquals(1, limiter.snapshot().lost());
    answer.complete("next");
    assertEquals("next", next.join());
  }

  @Test
  void anAbandonedPermitOfConcurrentStaysWhileThePeerMayWorkOnIt() {
    Limiter limiter = limiter("concurrent(1, unanswered=10m, abandon=5m)");
    var unused = limiter.tryAcquire().orElseThrow();
    time.advance(ofMinutes(5));
    assertTrue(limiter.tryAcquire().isEmpty());
    assertEquals(0, limiter.snapshot().open());
    time.advance(ofMinutes(5));
    assertTrue(limiter.tryAcquire().isPresent());
  }

  @Test
  void triesAloneAlsoNoticeALeak() {
    var abandoned = new ArrayList<Long>();
    Limiter limiter = listening("peer(1/1s, margin=0s, abandon=10m)", new ArrayList<>(), abandoned);
    var unused = limiter.tryAcquire().orElseThrow();
    time.advance(ofMinutes(10));
    assertTrue(limiter.tryAcquire().isEmpty());
    assertEquals(1, abandoned.size());
    assertEquals(1, limiter.snapshot().refused());
    time.advance(ofSeconds(1));
    assertTrue(limiter.tryAcquire().isPresent());
  }

  private Limiter listening(String limit, List<Long> overdue, List<Long> abandoned) {
    var listener =
        new LimiterListener() {
          @Override
          public void onOverdue(Cost cost, long open) {
            overdue.add(open);
          }

          @Override
          public void onAbandon(Cost cost, long open) {
            abandoned.add(open);
          }
        };
    return limiter(limit, builder -> builder.listener(listener));
  }

  @Test
  void plainPermitsAreSharedUnlessStamped() {
    Limiter plain = limiter("10/1m");
    Permit shared = plain.tryAcquire().orElseThrow();
    assertSame(shared, plain.tryAcquire().orElseThrow());
    assertThrows(IllegalStateException.class, shared::releasedAt);
    Limiter stamped = limiter("10/1m", builder -> builder.stamped(true));
    time.advanceNanos(17);
    assertEquals(time.nanoTime(), stamped.tryAcquire().orElseThrow().releasedAt());
  }

  @Test
  void aPermitDeliveredByAWayThatDoesNotAskTheGateIsGivenBack() {
    Limiter limiter = limiter("concurrent(1)");
    Permit held = limiter.tryAcquire().orElseThrow();
    CompletableFuture<Permit> waiting = limiter.acquireAsync();
    waiting.obtrudeException(new IllegalStateException("from outside"));
    held.answered();
    assertEquals(0, limiter.snapshot().open());
    assertEquals(1, taken(limiter));
  }

  @Test
  void aSnapshotNoticesALeak() {
    var overdue = new ArrayList<Long>();
    Limiter limiter = listening("peer(2/1s, unanswered=30s)", overdue, new ArrayList<>());
    var unused = limiter.tryAcquire().orElseThrow();
    time.advance(ofMinutes(1));
    assertEquals(1, limiter.snapshot().open());
    assertEquals(1, overdue.size());
  }
}
