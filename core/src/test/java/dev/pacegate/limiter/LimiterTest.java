package dev.pacegate.limiter;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterListener;
import dev.pacegate.Permit;
import dev.pacegate.WaitQueueFullException;
import dev.pacegate.WaitTooLongException;
import dev.pacegate.engine.PlainPermit;
import dev.pacegate.limit.Cost;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Who gets a permit, who waits, and who is refused. */
class LimiterTest extends LimitersInEachForm {

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
    Limiter limiter = limiter("2/1s", builder -> builder.listener(listener));
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
    assertEquals(1, limiter.snapshot().refused());
    assertEquals(1, refusals.size());
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
    Limiter limiter = limiter("1/1s", builder -> builder.maxWaiting(2));
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
}
