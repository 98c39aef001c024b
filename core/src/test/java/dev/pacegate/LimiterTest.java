package dev.pacegate;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.engine.SharedPermit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The verbs of a limiter, on virtual time. */
class LimiterTest {

  private final ManualTime time = ManualTime.manual();

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  private static int taken(Limiter limiter) {
    int taken = 0;
    while (limiter.tryAcquire().isPresent()) {
      taken++;
    }
    return taken;
  }

  @Test
  void lateComersGetWhatTheLimitLeaves() {
    Limiter limiter = limiter("10/1m");
    assertEquals(10, taken(limiter));
    time.advance(ofSeconds(59));
    assertEquals(0, taken(limiter));
    time.advance(ofSeconds(1));
    assertEquals(10, taken(limiter));
  }

  @Test
  void aTryNeverOvertakesWhoeverWaits() {
    Limiter limiter = limiter("bucket(1/1s, burst=3)");
    assertEquals(3, taken(limiter));
    CompletableFuture<Permit> large = limiter.acquireAsync(3);
    time.advance(ofSeconds(2));
    assertTrue(limiter.tryAcquire().isEmpty(), "two are there, but somebody waits for three");
    time.advance(ofSeconds(1));
    assertTrue(large.isDone());
  }

  @Test
  void whoPollsIsToldToWaitAndNotRefused() {
    var refusals = new ArrayList<Cost>();
    var listener =
        new LimiterListener() {
          @Override
          public void onRefusal(Cost cost, long atLeast) {
            refusals.add(cost);
          }
        };
    Limiter limiter =
        Limiter.builder("2/1s").time(time).executor(Runnable::run).listener(listener).build();
    assertNotNull(limiter.poll(Cost.ONE));
    time.advance(ofMillis(500));
    assertNotNull(limiter.poll(Cost.ONE));
    assertNull(limiter.poll(Cost.ONE));
    CompletableFuture<Permit> large = limiter.acquireAsync(2);
    time.advance(ofMillis(500));
    assertNull(limiter.poll(Cost.ONE), "one is there, but somebody waits for two");
    limiter.pause();
    assertNull(limiter.poll(Cost.ONE));
    limiter.resume();
    time.advance(ofSeconds(1));
    assertTrue(large.isDone());
    assertEquals(0, limiter.snapshot().refused());
    assertEquals(List.of(), refusals);

    assertThrows(CostTooLargeException.class, () -> limiter.poll(Cost.of(3)));
    limiter.close();
    assertThrows(LimiterClosedException.class, () -> limiter.poll(Cost.ONE));
    assertEquals(2, limiter.snapshot().refused());
    assertEquals(2, refusals.size());
  }

  @Test
  void whoPollsWithoutALimitHasTheClockReadOnlyIfSomebodyMinds() {
    var reads = new AtomicInteger();
    Time counting =
        new Time() {
          @Override
          public long nanoTime() {
            reads.incrementAndGet();
            return time.nanoTime();
          }

          @Override
          public Scheduled at(long instant, Runnable task) {
            return time.at(instant, task);
          }
        };
    Limiter limiter = Limiter.builder("unlimited").time(counting).build();
    reads.set(0);
    assertNotNull(limiter.poll(Cost.ONE));
    assertEquals(0, reads.get());
    time.advance(ofSeconds(7));
    assertEquals(time.nanoTime(), released(limiter, Cost.of(2)));

    limiter.setLimit("1/1s");
    assertNotNull(limiter.poll(Cost.ONE));
    assertNull(limiter.poll(Cost.ONE));
    time.advance(ofSeconds(1));
    assertNotNull(limiter.poll(Cost.ONE));
    limiter.setLimit("unlimited");
    reads.set(0);
    assertNotNull(limiter.poll(Cost.ONE));
    assertEquals(0, reads.get());

    var instants = new ArrayList<Long>();
    var listener =
        new LimiterListener() {
          @Override
          public void onRelease(Cost cost, long instant, long waited) {
            instants.add(instant);
          }
        };
    Limiter heard = Limiter.builder("unlimited").time(counting).listener(listener).build();
    time.advance(ofSeconds(1));
    assertNotNull(heard.poll(Cost.ONE));
    assertEquals(List.of(time.nanoTime()), instants);
    Limiter stamped = Limiter.builder("unlimited").time(counting).stamped(true).build();
    assertEquals(time.nanoTime(), released(stamped, Cost.ONE));
  }

  private static long released(Limiter limiter, Cost cost) {
    return requireNonNull(limiter.poll(cost)).releasedAt();
  }

  @Test
  void waitingMovesASelfAdvancingClock() throws InterruptedException {
    ManualTime self = ManualTime.selfAdvancing();
    Limiter limiter = Limiter.builder("1/1h").time(self).build();
    limiter.acquire().answered();
    Permit second = limiter.acquire(1);
    assertEquals(Duration.ofHours(1), Duration.ofNanos(self.nanoTime()));
    assertEquals(Duration.ofHours(1), second.waited());
    assertEquals(self.nanoTime(), second.releasedAt());
  }

  @Test
  void aWaitThatIsKnownToBeTooLongIsRefusedAtOnce() throws InterruptedException {
    Limiter limiter = limiter("10/1m");
    assertEquals(10, taken(limiter));
    assertEquals(Optional.empty(), limiter.tryAcquire(1, ofSeconds(59)));
    CompletableFuture<Permit> future = limiter.acquireAsync(1, ofSeconds(59));
    var refused = assertThrows(ExecutionException.class, future::get).getCause();
    assertEquals(ofMinutes(1), assertInstanceOf(WaitTooLongException.class, refused).atLeast());
    assertEquals(0, limiter.snapshot().waiting());
    assertEquals(13, limiter.snapshot().granted() + limiter.snapshot().refused());
  }

  @Test
  void aFutureThatRunsOutOfTimeLeavesTheLine() {
    Limiter limiter = limiter("concurrent(1)");
    Permit held = limiter.tryAcquire().orElseThrow();
    CompletableFuture<Permit> waiting = limiter.acquireAsync(1, ofSeconds(5));
    time.advance(ofMillis(4999));
    assertFalse(waiting.isDone());
    time.advance(ofMillis(1));
    assertTrue(waiting.isCompletedExceptionally());
    assertEquals(0, limiter.snapshot().waiting());
    assertEquals(1, limiter.snapshot().cancelled());
    held.answered();
    assertEquals(1, taken(limiter));
  }

  @Test
  void estimatesCountEverybodyAhead() {
    Limiter limiter = limiter("10/1m");
    taken(limiter);
    for (int i = 0; i < 25; i++) {
      var unused = limiter.acquireAsync();
    }
    assertEquals(ofMinutes(3), limiter.estimateWait(1), "ten after one minute, ten after two");
    time.advance(ofSeconds(30));
    assertEquals(Duration.ofSeconds(150), limiter.estimateWait(1));
    limiter.close();
  }

  @Test
  void whatCanNeverPassIsRefusedAtOnce() {
    Limiter limiter = limiter("10/1m");
    assertThrows(CostTooLargeException.class, () -> limiter.tryAcquire(11));
    assertThrows(CostTooLargeException.class, () -> limiter.acquire(11));
    assertThrows(CostTooLargeException.class, () -> limiter.estimateWait(11));
    assertTrue(limiter.acquireAsync(11).isCompletedExceptionally());
    assertThrows(IllegalArgumentException.class, () -> limiter.tryAcquire(-1));
  }

  @Test
  void whoeverCanNoLongerPassUnderANewLimitIsTurnedAway() {
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
  void onlySoManyMayWait() {
    Limiter limiter =
        Limiter.builder("1/1s").time(time).executor(Runnable::run).maxWaiting(2).build();
    taken(limiter);
    var unusedFirst = limiter.acquireAsync();
    var unusedSecond = limiter.acquireAsync();
    var third = limiter.acquireAsync();
    var failure = assertThrows(ExecutionException.class, third::get).getCause();
    assertInstanceOf(LineFullException.class, failure);
    assertEquals(2, limiter.snapshot().waiting());
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
  void observingHoldsNobodyBackAndNotesWhoItWouldHave() {
    Limiter limiter = limiter("3/1s");
    taken(limiter);
    CompletableFuture<Permit> waiting = limiter.acquireAsync();
    limiter.observeOnly(true);
    assertTrue(waiting.isDone());
    assertTrue(limiter.tryAcquire().isPresent());
    assertEquals(2, limiter.snapshot().heldBack());
    assertEquals(5, limiter.snapshot().granted());
    assertEquals(
        2, limiter.snapshot().waits().count() - limiter.snapshot().waits().countWithoutWait());
    limiter.observeOnly(false);
    assertTrue(limiter.tryAcquire().isEmpty());
  }

  @Test
  void closingTurnsAwayWhoWaitsAndWhoComes() {
    Limiter limiter = limiter("concurrent(1)");
    Permit open = limiter.tryAcquire().orElseThrow();
    CompletableFuture<Permit> waiting = limiter.acquireAsync();
    limiter.close();
    var failure = assertThrows(ExecutionException.class, waiting::get).getCause();
    assertInstanceOf(LimiterClosedException.class, failure);
    assertThrows(LimiterClosedException.class, limiter::tryAcquire);
    assertThrows(LimiterClosedException.class, limiter::acquire);
    open.answered();
    assertEquals(0, limiter.snapshot().open());
  }

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
  void severalLimitsAreChargedTogetherOrNotAtAll() {
    Limiter limiter = limiter("10/1s & 15/1m");
    assertEquals(10, taken(limiter));
    time.advance(ofSeconds(1));
    assertTrue(limiter.tryAcquire(6).isEmpty(), "the minute has five left");
    assertEquals(5, taken(limiter), "and the second has not been charged for the six");
  }

  @Test
  void namedCostsAreCountedByTheLimitOfThatName() {
    Limiter limiter = limiter("60/1m & 90000/1m of tokens");
    assertTrue(limiter.tryAcquire(Cost.of("tokens", 80_000)).isPresent());
    assertTrue(limiter.tryAcquire(Cost.of("tokens", 20_000)).isEmpty());
    assertEquals(59, taken(limiter), "calls without tokens are still allowed");
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
  void triesAloneAlsoNoticeALeak() {
    var abandoned = new ArrayList<Long>();
    Limiter limiter = listening("peer(1/1s, margin=0s, abandon=10m)", new ArrayList<>(), abandoned);
    var unused = limiter.tryAcquire().orElseThrow();
    time.advance(ofMinutes(10));
    assertTrue(limiter.tryAcquire().isEmpty());
    assertEquals(1, abandoned.size());
    time.advance(ofSeconds(1));
    assertTrue(limiter.tryAcquire().isPresent());
    assertEquals(1, limiter.snapshot().refused());
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
    return Limiter.builder(limit).time(time).executor(Runnable::run).listener(listener).build();
  }

  @Test
  void theListenerHearsOfEverythingOnceAndOutsideTheGate() {
    var heard = new ArrayList<String>();
    var box = new Limiter[1];
    var listener =
        new LimiterListener() {
          @Override
          public void onRelease(Cost cost, long instant, long waited) {
            heard.add("released " + cost + " at " + instant + " after " + waited);
            box[0].snapshot(); // may visit the gate
          }

          @Override
          public void onRefusal(Cost cost, long atLeast) {
            heard.add("refused " + cost + ", " + atLeast);
          }

          @Override
          public void onLeave(Cost cost, long waited) {
            heard.add("left " + cost + " after " + waited);
            throw new IllegalStateException("and fails");
          }
        };
    box[0] = Limiter.builder("1/1us").time(time).executor(Runnable::run).listener(listener).build();
    var unused = box[0].tryAcquire();
    var unusedRefused = box[0].tryAcquire();
    var waiting = box[0].acquireAsync();
    var leaving = box[0].acquireAsync();
    leaving.cancel(false);
    time.advanceNanos(1000);
    assertTrue(waiting.isDone());
    assertEquals(
        List.of(
            "released 1 at 0 after 0",
            "refused 1, 1000",
            "left 1 after 0",
            "released 1 at 1000 after 1000"),
        heard);
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
  void plainPermitsAreSharedUnlessStamped() {
    Limiter plain = limiter("10/1m");
    Permit shared = plain.tryAcquire().orElseThrow();
    assertSame(shared, plain.tryAcquire().orElseThrow());
    assertThrows(IllegalStateException.class, shared::releasedAt);
    Limiter stamped = Limiter.builder("10/1m").time(time).stamped(true).build();
    time.advanceNanos(17);
    assertEquals(17, stamped.tryAcquire().orElseThrow().releasedAt());
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
  void limitersComeByNameFromConfiguration() {
    var properties = new Properties();
    properties.setProperty("sms", "10/1s & concurrent(2)");
    try (Limiters limiters = Limiters.from(properties)) {
      assertEquals("sms", limiters.get("sms").name());
      assertEquals(Limits.parse("10/1s & concurrent(2)"), limiters.get("sms").limit());
      var unknown = assertThrows(IllegalArgumentException.class, () -> limiters.get("smss"));
      assertEquals("there is no limiter \"smss\", only [sms]", unknown.getMessage());
    }
    var wrong =
        assertThrows(IllegalArgumentException.class, () -> Limiters.from(Map.of("x", "10")));
    assertTrue(wrong.toString().contains("x: \"10\", column 3: expected"), wrong::toString);
  }

  @Test
  void completingAPlaceByAnyMeansGivesItUp() {
    Limiter limiter = limiter("1/1h");
    taken(limiter);
    CompletableFuture<Permit> future = limiter.acquireAsync();
    var unused = future.completeAsync(() -> SharedPermit.INSTANCE, Runnable::run);
    assertTrue(future.isDone());
    assertEquals(0, limiter.snapshot().waiting());
  }

  @Test
  void cancellingTwiceSaysYesTwice() {
    Limiter limiter = limiter("1/1h");
    taken(limiter);
    CompletableFuture<Permit> future = limiter.acquireAsync();
    assertTrue(future.cancel(false));
    assertTrue(future.cancel(false));
  }

  @Test
  @SuppressWarnings("NullAway") // what is tested
  void aCallWithoutAJobTakesNoPermit() {
    Limiter limiter = limiter("concurrent(1)");
    Supplier<CompletionStage<String>> none = null;
    assertThrows(NullPointerException.class, () -> limiter.callAsync(none));
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  void aRequestIsOneCall() {
    Limiter limiter = limiter("10/1m & 100/1m of tokens");
    Cost none = Cost.none().and("tokens", 100);
    assertThrows(IllegalArgumentException.class, () -> limiter.tryAcquire(none));
    Cost two = Cost.ONE.plus(Cost.ONE);
    assertThrows(IllegalArgumentException.class, () -> limiter.acquireAsync(two));
  }

  @Test
  void nobodyIsCountedTwiceInTheHistogram() {
    Limiter limiter = limiter("1/1h");
    taken(limiter);
    var unusedFirst = limiter.acquireAsync();
    var unusedSecond = limiter.acquireAsync();
    time.advance(ofSeconds(1));
    limiter.observeOnly(true);
    assertEquals(3, limiter.snapshot().granted());
    assertEquals(1, limiter.snapshot().waits().countWithoutWait());
  }

  @Test
  void aCostThatIsTooLargeIsARefusalWhoeverElseWaits() {
    Limiter limiter = limiter("1/1h");
    assertThrows(CostTooLargeException.class, () -> limiter.acquire(2));
    assertTrue(limiter.tryAcquire().isPresent());
    var unused = limiter.acquireAsync(); // from now on somebody waits
    assertThrows(CostTooLargeException.class, () -> limiter.acquire(2));
    assertEquals(2, limiter.snapshot().refused());
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

  /** A bound of 0 is a lower bound of anything, so a meter may say so. */
  @Test
  void whoeverIsTurnedAwayTheMomentItJoinsIsToldSo() {
    Limiter limiter = Limiter.builder(new NeverForTwo()).time(time).build();
    limiter.pause();
    assertThrows(
        CostTooLargeException.class,
        () -> assertTimeoutPreemptively(ofSeconds(10), () -> limiter.acquire(2)));
  }

  private record NeverForTwo() implements Limit {
    @Override
    public Meter newMeter(long now) {
      return new PlainMeter() {
        @Override
        public long nanosUntil(long since, long now, Cost cost) {
          return cost.amount() > 1 ? NEVER : 0;
        }

        @Override
        public long atLeast(long since, long now, Cost ahead, Cost cost) {
          return 0;
        }

        @Override
        public void release(long since, long now, Cost cost) {}
      };
    }

    @Override
    public List<Promise> promises() {
      return List.of();
    }
  }
}
