package dev.pacegate.limiter;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.Permit;
import dev.pacegate.Snapshot;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** What an operator changes in a limiter, and sees of it. */
class LimiterControlTest extends LimitersInEachForm {

  @Test
  void aWaiterThatCanNoLongerPassUnderANewLimitIsRefused() {
    Limiter limiter = limiter("10/1m");
    taken(limiter);
    CompletableFuture<Permit> large = limiter.acquireAsync(8);
    CompletableFuture<Permit> small = limiter.acquireAsync(2);
    limiter.setLimit("5/1m");
    var failure = assertThrows(ExecutionException.class, large::get).getCause();
    assertInstanceOf(CostTooLargeException.class, failure);
    time.advance(ofMinutes(1));
    assertTrue(small.isDone());
  }

  @Test
  void aRaisedLimitFreesWaitersAtOnceAndGrantsNoFreeBurst() {
    Limiter limiter = limiter("10/1m");
    taken(limiter);
    List<CompletableFuture<Permit>> waiting = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      waiting.add(limiter.acquireAsync());
    }
    limiter.setLimit("15/1m");
    assertEquals(5, waiting.stream().filter(CompletableFuture::isDone).count());
    assertSame(limiter.limit().getClass(), Limits.parse("15/1m").getClass());
    limiter.close();
  }

  @Test
  void aPauseHoldsEverybodyAndResumingLetsThemGo() {
    Limiter limiter = limiter("10/1m");
    limiter.pause();
    assertTrue(limiter.tryAcquire().isEmpty());
    CompletableFuture<Permit> waiting = limiter.acquireAsync();
    time.advance(ofMinutes(10));
    assertFalse(waiting.isDone());
    assertTrue(limiter.snapshot().paused());
    limiter.resume();
    assertTrue(waiting.isDone());
    assertEquals(9, taken(limiter));
  }

  @Test
  void aPauseForATimeEndsByItself() {
    Limiter limiter = limiter("10/1m");
    limiter.pauseFor(ofSeconds(5));
    limiter.pauseFor(ofSeconds(3)); // does not shorten it
    assertEquals(ofSeconds(5), limiter.estimateWait(1));
    CompletableFuture<Permit> waiting = limiter.acquireAsync();
    time.advance(ofMillis(4999));
    assertFalse(waiting.isDone());
    time.advance(ofMillis(1));
    assertTrue(waiting.isDone());
    assertFalse(limiter.snapshot().paused());
  }

  @Test
  void aDryRunDelaysNoRequestAndCountsWhatItWouldHaveDelayed() {
    exceptFor(LimiterForm.KEY, "a dry run is for all keys together");
    Limiter limiter = limiter("3/1s");
    taken(limiter);
    CompletableFuture<Permit> waiting = limiter.acquireAsync();
    limiter.dryRun(true);
    assertTrue(waiting.isDone());
    assertTrue(limiter.tryAcquire().isPresent());
    assertEquals(2, limiter.snapshot().wouldHaveWaited());
    assertEquals(5, limiter.snapshot().granted());
    assertEquals(
        2, limiter.snapshot().waits().count() - limiter.snapshot().waits().countWithoutWait());
    limiter.dryRun(false);
    assertTrue(limiter.tryAcquire().isEmpty());
  }

  /** It refused what another thread was to take. */
  @Test
  void aDryRunRefusesNoCostHoweverItIsTaken() throws InterruptedException {
    exceptFor(LimiterForm.KEY, "a dry run is for all keys together");
    Limiter limiter = limiter("3/1s");
    limiter.dryRun(true);
    assertEquals(4, limiter.acquire(4).cost().amount());
    assertEquals(4, limiter.acquireAsync(4).join().cost().amount());
    var taken = limiter.acquireAsync(Cost.of(4), Runnable::run, permit -> {});
    assertEquals(4, taken.join().cost().amount());
    limiter.dryRun(false);
    var refused = limiter.acquireAsync(Cost.of(4), Runnable::run, permit -> {});
    assertThrows(ExecutionException.class, refused::get);
  }

  @Test
  void closingTurnsAwayWhoWaitsAndWhoComes() {
    exceptFor(LimiterForm.KEY, "a key stays usable until the keyed limiter is closed");
    Limiter limiter = limiter("concurrent(1)");
    Permit open = limiter.tryAcquire().orElseThrow();
    CompletableFuture<Permit> waiting = limiter.acquireAsync();
    limiter.close();
    var failure = assertThrows(ExecutionException.class, waiting::get).getCause();
    assertInstanceOf(LimiterClosedException.class, failure);
    assertThrows(LimiterClosedException.class, limiter::tryAcquire);
    assertThrows(LimiterClosedException.class, limiter::acquire);
    assertThrows(LimiterClosedException.class, () -> limiter.poll(Cost.ONE));
    open.answered();
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  void openPermitsMoveAlongThroughLimitsThatNeedNone() {
    Limiter limiter = limiter("concurrent(3)");
    Permit first = limiter.tryAcquire().orElseThrow();
    Permit second = limiter.tryAcquire().orElseThrow();
    limiter.setLimit("spacing(1s)");
    first.answered();
    limiter.setLimit("concurrent(3)");
    assertEquals(1, limiter.snapshot().open());
    assertEquals(2, taken(limiter));
    second.answered();
  }

  @Test
  void aSnapshotTellsTheMostThatWasCountedAtOnce() {
    Limiter limiter = limiter("10/1m & concurrent(4)");
    Permit a = limiter.tryAcquire().orElseThrow();
    Permit b = limiter.tryAcquire().orElseThrow();
    a.answered();
    b.answered();
    Permit c = limiter.tryAcquire().orElseThrow();
    Snapshot snapshot = limiter.snapshot();
    assertEquals(List.of(3L, 2L), snapshot.most().stream().map(Snapshot.Most::count).toList());
    assertEquals(1, snapshot.open());
    c.answered();
  }

  @Test
  void noRequestIsCountedTwiceInTheHistogram() {
    exceptFor(LimiterForm.KEY, "a dry run is for all keys together");
    Limiter limiter = limiter("1/1h");
    taken(limiter);
    var unusedFirst = limiter.acquireAsync();
    var unusedSecond = limiter.acquireAsync();
    time.advance(ofSeconds(1));
    limiter.dryRun(true);
    assertEquals(3, limiter.snapshot().granted());
    assertEquals(1, limiter.snapshot().waits().countWithoutWait());
  }
}
