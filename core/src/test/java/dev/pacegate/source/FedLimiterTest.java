package dev.pacegate.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.PeerSays;
import dev.pacegate.Permit;
import dev.pacegate.Quota;
import dev.pacegate.Share;
import dev.pacegate.WaitTooLongException;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import dev.pacegate.limiter.LimitersOnManualTime;
import dev.pacegate.source.HandFedSource.HandFedMeter;
import dev.pacegate.time.ManualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every verb of a limiter whose permits come from a source. */
@Timeout(30)
class FedLimiterTest {

  private final ManualTime time = ManualTime.manual(1_000_000);
  private final HandFedSource source = new HandFedSource();

  private Limiter limiter() {
    return limiter("100/1s");
  }

  private Limiter limiter(String limit) {
    return builder(limit).build();
  }

  private Limiter.Builder builder(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).source(source);
  }

  private HandFedMeter meter() {
    return source.meter();
  }

  private static int taken(Limiter limiter) {
    return LimitersOnManualTime.taken(limiter);
  }

  @Test
  void makesItsMeterOnItsOwnClock() {
    time.advanceNanos(500);
    Limiter limiter = limiter();
    assertEquals(0, meter().seat.now());
    time.advanceNanos(70);
    assertEquals(70, meter().seat.inlet().now());
    meter().feed(1);
    assertTrue(limiter.tryAcquire().isPresent());
    assertEquals(List.of("release 1@70"), meter().heard);
    assertEquals(Optional.empty(), meter().seat.key());
    assertEquals("100/1s", meter().seat.limit().toString());
  }

  @Test
  void tryAcquireTakesWhatTheSourceHasGivenAndWantsMore() {
    Limiter limiter = limiter();
    assertEquals(Optional.empty(), limiter.tryAcquire());
    assertEquals(1, meter().lastWanted());
    assertEquals(Optional.empty(), limiter.tryAcquire(Cost.of(7)));
    assertEquals(7, meter().lastWanted());
    meter().feed(3);
    assertEquals(0, meter().lastWanted());
    assertEquals(3, taken(limiter));
  }

  @Test
  void newsLetWaitersGoInOrder() {
    Limiter limiter = limiter();
    List<CompletableFuture<Permit>> waiters =
        List.of(limiter.acquireAsync(), limiter.acquireAsync(), limiter.acquireAsync());
    assertEquals(3, meter().lastWanted());
    meter().feed(2);
    assertEquals(
        List.of(true, true, false), waiters.stream().map(CompletableFuture::isDone).toList());
    assertEquals(1, meter().lastWanted());
    assertEquals(1, limiter.snapshot().waiting());
  }

  @Test
  void aWaitingThreadIsWokenByNews() throws Exception {
    Limiter limiter = limiter();
    var permit = CompletableFuture.supplyAsync(limiter::acquireUninterruptibly);
    while (limiter.snapshot().waiting() == 0) {
      Thread.onSpinWait();
    }
    meter().feed(1);
    permit.get(20, TimeUnit.SECONDS).answered();
    assertEquals(1, limiter.snapshot().granted());
  }

  @Test
  void callsTakeAPermitFirst() throws Exception {
    Limiter limiter = limiter();
    meter().feed(1);
    assertEquals("answer", limiter.call(() -> "answer"));
    CompletableFuture<String> later =
        limiter.callAsync(() -> CompletableFuture.completedFuture("later"));
    assertFalse(later.isDone());
    meter().feed(1);
    assertEquals("later", later.join());
  }

  @Test
  void aWaitThatIsBoundedEnds() {
    Limiter limiter = limiter();
    CompletableFuture<Permit> waiter = limiter.acquireAsync(Cost.ONE, Duration.ofMillis(50));
    time.advance(Duration.ofMillis(49));
    assertFalse(waiter.isDone());
    time.advance(Duration.ofMillis(1));
    var refused = assertThrows(CompletionException.class, waiter::join);
    assertInstanceOf(WaitTooLongException.class, refused.getCause());
    assertEquals(Duration.ZERO, limiter.estimateWait(1));
  }

  @Test
  void tryAcquireUpToTakesWhatThereIs() {
    Limiter limiter = limiter();
    meter().feed(5);
    assertTrue(limiter.tryAcquireUpTo(20).isPresent());
    assertEquals("release 5@0", meter().heard.get(0));
    assertEquals(Optional.empty(), limiter.tryAcquireUpTo(20));
    assertEquals(20, meter().lastWanted());
  }

  @Test
  void lanesTakeTurns() {
    Limiter limiter =
        builder("100/1s").lane("bulk", Share.weight(1)).lane("web", Share.weight(3)).build();
    for (int i = 0; i < 8; i++) {
      var bulk = limiter.lane("bulk").acquireAsync();
      var web = limiter.lane("web").acquireAsync();
      assertFalse(bulk.isDone() || web.isDone());
    }
    assertEquals(16, meter().lastWanted());
    meter().feed(4);
    assertEquals(12, limiter.snapshot().waiting());
    assertEquals(12, meter().lastWanted());
  }

  @Test
  void whilePausedNothingIsWanted() {
    Limiter limiter = limiter();
    limiter.pause();
    var waiter = limiter.acquireAsync();
    meter().feed(1);
    assertFalse(waiter.isDone());
    assertEquals(0, meter().lastWanted());
    limiter.resume();
    assertTrue(waiter.isDone());
  }

  @Test
  void aPauseEndsByTime() {
    Limiter limiter = limiter();
    limiter.pauseFor(Duration.ofSeconds(1));
    var waiter = limiter.acquireAsync();
    assertEquals(0, meter().lastWanted());
    time.advance(Duration.ofSeconds(1));
    assertEquals(1, meter().lastWanted());
    meter().feed(1);
    assertTrue(waiter.isDone());
  }

  @Test
  void dryRunReleasesWithoutPermits() {
    Limiter limiter = limiter();
    limiter.dryRun(true);
    for (int i = 0; i < 3; i++) {
      assertTrue(limiter.tryAcquire().isPresent());
    }
    assertEquals(-3, meter().leased);
    assertEquals(0, meter().lastWanted());
    assertEquals(3, limiter.snapshot().wouldHaveWaited());
  }

  @Test
  void settlingIsTold() {
    Limiter limiter = limiter();
    meter().feed(10);
    limiter.tryAcquire(Cost.of(4)).orElseThrow().settle(6);
    assertEquals(List.of("release 4@0", "settle 4 to 6"), meter().heard);
    assertEquals(4, meter().leased);
  }

  @Test
  void endsAreToldToAMeterThatTracks() {
    source.tracks = true;
    Limiter limiter = limiter("peer(100/1s)");
    meter().feed(3);
    Permit answered = limiter.tryAcquire().orElseThrow();
    Permit lost = limiter.tryAcquire().orElseThrow();
    Permit unused = limiter.tryAcquire().orElseThrow();
    time.advanceNanos(5);
    meter().heard.clear();
    answered.answered();
    lost.close();
    unused.notSent();
    assertEquals(
        List.of("end 1 of 0@5 ANSWERED", "end 1 of 0@5 LOST", "end 1 of 0@5 NOT_SENT"),
        meter().heard);
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  void closingRetiresTheMeterAndAsksForOneLastErrand() {
    Limiter limiter = limiter();
    var waiter = limiter.acquireAsync();
    var flushed = new CompletableFuture<Long>();
    meter().errand = () -> flushed.complete(meter().lastWanted());
    limiter.close();
    assertEquals(List.of("retire@0"), meter().heard);
    assertEquals(0, flushed.join());
    assertTrue(waiter.isCompletedExceptionally());
  }

  @Test
  void newsAfterTheCloseAreHarmless() {
    source.tracks = true;
    Limiter limiter = limiter("peer(100/1s)");
    meter().feed(1);
    Permit open = limiter.tryAcquire().orElseThrow();
    limiter.close();
    limiter.close();
    int asked = meter().wanted.size();
    meter().feed(9);
    assertEquals(asked + 1, meter().wanted.size()); // what was given too late can be given back
    meter().seat.inlet().refuse("gone");
    meter().seat.inlet().change(Limits.parse("peer(7/1s)"));
    assertEquals(1, source.meters.size());
    assertEquals("peer(100/1s)", limiter.limit().toString());
    open.answered();
    assertEquals(List.of("release 1@0", "retire@0", "end 1 of 0@0 ANSWERED"), meter().heard);
    assertThrows(LimiterClosedException.class, limiter::acquire);
  }

  @Test
  void aMeterIsAskedAgainWhenItSaysSo() {
    Limiter limiter = limiter();
    var asking = new AtomicInteger();
    meter().asksAt = 50;
    var waiter = limiter.acquireAsync();
    meter().errand = asking::incrementAndGet;
    time.advanceNanos(49);
    assertEquals(0, asking.get());
    time.advanceNanos(1);
    assertEquals(1, asking.get());
    assertEquals(1, meter().lastWanted());
    assertFalse(waiter.isDone());
  }

  @Test
  void aCalledWaiterWaitsOnIfItsPermitEnds() {
    var late = new ArrayDeque<Runnable>();
    Limiter limiter = builder("100/1s").executor(late::add).build();
    var waiter = limiter.acquireAsync();
    meter().endsAt = 100;
    meter().feed(1); // called, and no thread has come yet
    assertEquals(1, late.size());
    time.advanceNanos(100);
    late.remove().run();
    assertFalse(waiter.isDone());
    assertEquals(1, limiter.snapshot().waiting());
    meter().endsAt = Long.MAX_VALUE;
    meter().feed(0);
    while (!late.isEmpty()) {
      late.remove().run();
    }
    assertTrue(waiter.isDone());
  }

  @Test
  void thePeersOwnCountIsNotComparedWithWhatThisProcessHas() {
    source.tracks = true;
    Limiter limiter = limiter("peer(100/1s)");
    meter().feed(10);
    Permit permit = limiter.tryAcquire().orElseThrow();
    assertEquals(0, PeerSays.quota(limiter, permit, Quota.remaining(3)));
    assertEquals(9, meter().leased);
    assertEquals(0, limiter.snapshot().takenByOthers());
  }

  @Test
  void aRefusalOfThePeerPausesThisLimiter() {
    Limiter limiter = limiter();
    meter().feed(1);
    limiter.peerRefused(Duration.ofSeconds(2));
    assertEquals(0, taken(limiter));
    time.advance(Duration.ofSeconds(2));
    assertEquals(1, taken(limiter));
  }

  @Test
  void reservedSharesAreRefused() {
    var refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> builder("100/1s").lane("vip", new Share(1, 20)).build());
    assertTrue(String.valueOf(refused.getMessage()).contains("reserved"), refused::getMessage);
    assertTrue(String.valueOf(refused.getMessage()).contains("vip"), refused::getMessage);
    assertEquals(List.of(), source.meters);
  }

  @Test
  void aStateFileIsRefused(@TempDir Path folder) {
    Path file = folder.resolve("state");
    var refused =
        assertThrows(IllegalArgumentException.class, () -> builder("100/1s").state(file).build());
    assertTrue(String.valueOf(refused.getMessage()).contains("state file"), refused::getMessage);
    assertFalse(file.toFile().exists());
  }

  @Test
  void aLimitThatTheSourceCannotCountIsRefused() {
    source.refuses = limit -> limit.toString().startsWith("warmup");
    var refused =
        assertThrows(IllegalArgumentException.class, () -> limiter("warmup(2/1s, over=3s)"));
    assertTrue(String.valueOf(refused.getMessage()).contains("cannot count"), refused::getMessage);
  }

  @Test
  void aMeterThatContradictsItsLimitIsRefused() {
    var refused = assertThrows(IllegalArgumentException.class, () -> limiter("peer(100/1s)"));
    assertTrue(
        String.valueOf(refused.getMessage()).contains("Meter.tracks()"), refused::getMessage);
  }

  /** A request that finds the gate free would not be a visit, so no errand would follow it. */
  @Test
  void everyRequestIsAVisit() {
    Limiter limiter = limiter();
    meter().feed(10);
    int asked = meter().wanted.size();
    for (int i = 0; i < 5; i++) {
      assertTrue(limiter.tryAcquire().isPresent());
    }
    assertEquals(asked + 5, meter().wanted.size());
  }
}
