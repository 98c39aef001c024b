package dev.pacegate.limiter;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.LimiterListener;
import dev.pacegate.Permit;
import dev.pacegate.PlainMeter;
import dev.pacegate.WaitQueueFullException;
import dev.pacegate.WaitTooLongException;
import dev.pacegate.engine.PlainPermit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Who gets a permit, who waits, and who is refused. */
class LimiterTest extends LimitersOnManualTime {

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
  void aTryNeverOvertakesAWaiter() {
    Limiter limiter = limiter("bucket(1/1s, burst=3)");
    assertEquals(3, taken(limiter));
    CompletableFuture<Permit> large = limiter.acquireAsync(3);
    time.advance(ofSeconds(2));
    assertTrue(limiter.tryAcquire().isEmpty(), "two are there, but a caller waits for three");
    time.advance(ofSeconds(1));
    assertTrue(large.isDone());
  }

  @Test
  void aPollerIsToldToWaitAndNotRefused() {
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
    assertNull(limiter.poll(Cost.ONE), "one is there, but a caller waits for two");
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
  void aPollWithoutALimitReadsTheClockOnlyForAListener() {
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
    assertEquals(1, reads.get()); // of the poll after a change: the limit after this one counts it

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
  void aCostAboveTheLimitIsRefusedAtOnce() {
    Limiter limiter = limiter("10/1m");
    assertThrows(CostTooLargeException.class, () -> limiter.tryAcquire(11));
    assertThrows(CostTooLargeException.class, () -> limiter.acquire(11));
    assertThrows(CostTooLargeException.class, () -> limiter.estimateWait(11));
    assertTrue(limiter.acquireAsync(11).isCompletedExceptionally());
    assertThrows(IllegalArgumentException.class, () -> limiter.tryAcquire(-1));
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
    assertInstanceOf(WaitQueueFullException.class, failure);
    assertEquals(2, limiter.snapshot().waiting());
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
  void completingAPlaceByAnyMeansGivesItUp() {
    Limiter limiter = limiter("1/1h");
    taken(limiter);
    CompletableFuture<Permit> future = limiter.acquireAsync();
    var unused = future.completeAsync(() -> PlainPermit.SHARED, Runnable::run);
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
  void aCostThatIsTooLargeIsRefusedWhateverElseWaits() {
    Limiter limiter = limiter("1/1h");
    assertThrows(CostTooLargeException.class, () -> limiter.acquire(2));
    assertTrue(limiter.tryAcquire().isPresent());
    var unused = limiter.acquireAsync(); // from now on a caller waits
    assertThrows(CostTooLargeException.class, () -> limiter.acquire(2));
    assertEquals(2, limiter.snapshot().refused());
  }

  /** A bound of 0 is a lower bound of anything, so a meter may say so. */
  @Test
  void aCallerThatIsRefusedTheMomentItJoinsIsToldSo() {
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
