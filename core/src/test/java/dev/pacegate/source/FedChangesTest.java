package dev.pacegate.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.SourceUnavailableException;
import dev.pacegate.limit.Limits;
import dev.pacegate.limiter.LimitersOnManualTime;
import dev.pacegate.source.HandFedSource.HandFedMeter;
import dev.pacegate.time.ManualTime;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** How a limit that a source counts changes, and how the source refuses. */
class FedChangesTest {

  private final ManualTime time = ManualTime.manual();
  private final HandFedSource source = new HandFedSource();

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).source(source).build();
  }

  private static void assertGranted(int expected, Limiter limiter) {
    assertEquals(expected, LimitersOnManualTime.taken(limiter));
  }

  @Test
  void aChangeIsTheSourcesIfItWantsIt() {
    Limiter limiter = limiter("100/1s");
    source.takesChanges = true;
    CompletableFuture<Permit> waiter = limiter.acquireAsync();
    limiter.setLimit("50/1s");
    assertEquals(List.of("50/1s"), source.offered);
    assertEquals("100/1s", limiter.limit().toString());
    source.meter().context.sink().change(Limits.parse("50/1s"));
    assertEquals("50/1s", limiter.limit().toString());
    assertEquals(List.of("retire@0"), source.meters.get(0).heard);
    assertEquals(2, source.meters.size());
    assertFalse(waiter.isDone());
    assertEquals(1, source.last().lastWanted());
    source.last().feed(1);
    assertTrue(waiter.isDone());
  }

  /** A limiter of its own would grant a hundred at once here. */
  @Test
  void aChangeThatTheSourceLeavesToTheLimiterBringsNoFreeBurst() {
    Limiter limiter = limiter("10/1s");
    source.meter().feed(3);
    limiter.setLimit("100/1s");
    assertEquals("100/1s", limiter.limit().toString());
    assertGranted(0, limiter);
    source.last().feed(2);
    assertGranted(2, limiter);
  }

  @Test
  void aReplacedMeterHasOneLastErrandAndItsOpenPermitsMove() {
    source.tracks = true;
    Limiter limiter = limiter("peer(100/1s)");
    source.meter().feed(2);
    Permit open = limiter.tryAcquire().orElseThrow();
    time.advanceNanos(7);
    var last = new CompletableFuture<Long>();
    HandFedMeter before = source.meter();
    before.errand = () -> last.complete(before.lastWanted());
    limiter.setLimit("peer(50/1s)");
    assertEquals(0, last.join());
    assertEquals(List.of("release 1@0", "retire@7"), before.heard);
    open.answered();
    assertEquals(List.of("adopt 1 of 0", "end 1 of 0@7 ANSWERED"), source.last().heard);
    assertEquals(List.of("release 1@0", "retire@7"), before.heard);
  }

  @Test
  void theSameLimitChangesNothing() {
    Limiter limiter = limiter("100/1s");
    source.meter().context.sink().change(Limits.parse("100/1s"));
    limiter.setLimit("100/1s");
    assertEquals(List.of(), source.offered);
    assertEquals(List.of(), source.meter().heard);
  }

  @Test
  void aChangeThatTheSourceCannotCountIsRefusedAndChangesNothing() {
    Limiter limiter = limiter("100/1s");
    source.refuses = limit -> limit.toString().startsWith("7");
    assertThrows(IllegalArgumentException.class, () -> limiter.setLimit("7/1s"));
    var sink = source.meter().context.sink();
    assertThrows(IllegalArgumentException.class, () -> sink.change(Limits.parse("7/1s")));
    assertThrows(IllegalArgumentException.class, () -> limiter.setLimit("7/1m"));
    assertEquals("100/1s", limiter.limit().toString());
    assertEquals(List.of(), source.meter().heard);
  }

  // ---- refusal

  @Test
  void aRefusalTurnsAwayAllUntilTheNextNews() {
    Limiter limiter = limiter("100/1s");
    HandFedMeter meter = source.meter();
    meter.feed(2);
    limiter.pause(); // so that there is a waiter besides the permits
    CompletableFuture<Permit> waiter = limiter.acquireAsync();
    limiter.resume();
    CompletableFuture<Permit> second = limiter.acquireAsync(5);
    assertTrue(waiter.isDone());
    meter.context.sink().refuse("the store is down");
    assertUnavailable(second);
    assertUnavailable(limiter.acquireAsync());
    var refused = assertThrows(SourceUnavailableException.class, limiter::acquire);
    assertEquals(
        "limiter 100/1s: its source is unavailable: the store is down", refused.getMessage());
    assertTrue(limiter.tryAcquire().isEmpty()); // though a permit is left
    assertEquals("the store is down", limiter.snapshot().unavailable().orElseThrow());
    meter.feed(0);
    assertTrue(limiter.snapshot().unavailable().isEmpty());
    assertGranted(1, limiter);
  }

  @Test
  void aSnapshotSaysWhyRequestsWait() {
    Limiter limiter = limiter("100/1s");
    HandFedMeter meter = source.meter();
    assertTrue(limiter.snapshot().unavailable().isEmpty());
    meter.unavailable = "the store has forgotten all, until 2 s";
    assertEquals(meter.unavailable, limiter.snapshot().unavailable().orElseThrow());
    assertFalse(limiter.acquireAsync().isDone()); // it waits
    meter.context.sink().refuse("the store is down");
    assertEquals("the store is down", limiter.snapshot().unavailable().orElseThrow());
  }

  /** A fence or a pause of all processes is no failure. */
  @Test
  void aSnapshotTellsAFailingSourceFromOneThatGrantsNothingForAWhile() {
    Limiter limiter = limiter("100/1s");
    HandFedMeter meter = source.meter();
    meter.unavailable = "paused in the store";
    assertFalse(limiter.snapshot().sourceFails());
    meter.failing = true;
    assertTrue(limiter.snapshot().sourceFails());
    meter.failing = false;
    assertFalse(limiter.snapshot().sourceFails());
    meter.context.sink().refuse("the store is down");
    assertTrue(limiter.snapshot().sourceFails());
    meter.feed(1);
    assertFalse(limiter.snapshot().sourceFails());
  }

  @Test
  void aRefusalReachesCalledWaitersThatHaveNotComeYet() {
    var late = new ArrayDeque<Runnable>();
    Limiter limiter =
        Limiter.builder("100/1s").time(time).executor(late::add).source(source).build();
    CompletableFuture<Permit> called = limiter.acquireAsync();
    source.meter().feed(1);
    source.meter().context.sink().refuse("the store is down");
    while (!late.isEmpty()) {
      late.remove().run();
    }
    assertUnavailable(called);
    assertEquals(1, source.meter().leased);
  }

  @Test
  void dryRunRefusesNoRequest() {
    Limiter limiter = limiter("100/1s");
    limiter.dryRun(true);
    source.meter().context.sink().refuse("the store is down");
    assertTrue(limiter.tryAcquire().isPresent());
    limiter.dryRun(false);
    assertThrows(SourceUnavailableException.class, limiter::acquire);
  }

  private static void assertUnavailable(CompletableFuture<Permit> future) {
    var failure = new CompletableFuture<Throwable>();
    var unused = future.whenComplete((permit, thrown) -> failure.complete(thrown));
    assertEquals(SourceUnavailableException.class, failure.join().getClass());
  }
}
