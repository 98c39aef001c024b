package dev.pacegate.keys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.TooManyKeysException;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.Time;
import dev.pacegate.waiting.Crew;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When keys are dropped, and when they are not. */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of a place is seen in `released`
class DroppedKeyTest extends KeyedLimiterCases {

  // ---- memory

  @Test
  void aKeyIsDroppedWhenItIsAtRestAndNotBefore() {
    KeyedLimiter<String> limiter = keyed("2/1m");
    assertTrue(tries(limiter, "a"));
    time.advance(Duration.ofSeconds(30));
    assertTrue(tries(limiter, "a"));
    time.advance(Duration.ofSeconds(59));
    assertEquals(1, limiter.size(), "one is not a minute old yet");
    time.advance(SECOND.plus(SOON));
    assertEquals(0, limiter.size());
    assertEquals(0, time.pending(), "and nothing ticks");
    assertTrue(tries(limiter, "a"));
    assertTrue(tries(limiter, "a"));
    assertFalse(tries(limiter, "a"));
  }

  @Test
  void aKeyThatWasOnlyRefusedOrAskedAboutIsNotKept() {
    KeyedLimiter<String> limiter = keyed("2/1m", "1/1m");
    assertTrue(tries(limiter, "a"));
    for (int i = 0; i < 100; i++) {
      assertFalse(tries(limiter, "b" + i));
      assertNotEquals(Duration.ZERO, limiter.limiter("c" + i).estimateWait(Cost.ONE));
    }
    time.advance(SOON);
    time.advance(SOON);
    assertEquals(1, limiter.size());
  }

  @Test
  void aKeyThatOwesIsKeptUntilItHasMadeThatGood() {
    KeyedLimiter<String> limiter = keyed("bucket(1/1s, burst=10)");
    assertTrue(limiter.limiter("a").tryAcquire(Cost.of(10)).isPresent());
    time.advance(Duration.ofMillis(9_990));
    assertEquals(1, limiter.size());
    time.advance(SOON.plus(SOON));
    assertEquals(0, limiter.size());
  }

  /** What an earlier process may have sent is over an interval after this one has begun. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "starts(2/1m, initial=spent)",
        "bucket(1/30s, burst=2, initial=empty)",
        "peer(bucket(1/30s, burst=2), margin=0s)"
      })
  void aKeyThatComesLaterBeginsWithNothingSpent(String perKey) {
    KeyedLimiter<String> limiter = keyed(perKey);
    assertFalse(tries(limiter, "early"));
    time.advance(MINUTE);
    for (String key : List.of("early", "late", "late")) {
      Permit permit = limiter.limiter(key).tryAcquire(Cost.of(2)).orElseThrow();
      permit.answered();
      time.advance(MINUTE.plus(SOON).plus(SOON));
      assertEquals(0, limiter.size(), key);
    }
  }

  @Test
  void aKeyIsKeptWhileAPermitOfItIsOpen() {
    KeyedLimiter<String> limiter = keyed("peer(1/1s) & concurrent(1)");
    Permit open = limiter.tryAcquire("a").orElseThrow();
    time.advance(Duration.ofDays(300));
    assertEquals(1, limiter.size());
    assertFalse(tries(limiter, "a"));
    open.answered();
    assertFalse(tries(limiter, "a"), "the peer may have counted it just now");
    time.advance(Duration.ofSeconds(2));
    assertEquals(0, limiter.size());
    Permit lost = limiter.tryAcquire("a").orElseThrow();
    lost.lost();
    time.advance(Duration.ofSeconds(9));
    assertEquals(1, limiter.size(), "it may be counted until 10 s after its start");
    time.advance(Duration.ofSeconds(3));
    assertEquals(0, limiter.size());
    assertEquals(0, time.pending());
  }

  @Test
  void aKeyIsKeptWhileACallerWaitsForIt() {
    KeyedLimiter<String> limiter = keyed("1/1s", "1/1h");
    assertTrue(tries(limiter, "x"));
    CompletableFuture<Permit> waits = ask(limiter, "a");
    time.advance(Duration.ofMinutes(30));
    assertEquals(1, limiter.size());
    waits.cancel(true);
    time.advance(SOON);
    assertEquals(0, limiter.size());
  }

  @Test
  void whenThereAreTooManyKeysNewOnesAreRefusedAndNoKnownOneIsPushedOut() {
    KeyedLimiter<String> limiter =
        KeyedLimiter.builder("1/1m").within(limiter("unlimited")).maxKeys(3).build();
    for (String key : List.of("a", "b", "c")) {
      assertTrue(tries(limiter, key));
    }
    for (int i = 0; i < 100; i++) {
      assertFalse(tries(limiter, "attacker" + i));
    }
    assertThrows(TooManyKeysException.class, () -> limiter.acquire("d"));
    assertThrows(TooManyKeysException.class, () -> limiter.limiter("d").estimateWait(Cost.ONE));
    assertInstanceOf(
        TooManyKeysException.class,
        assertThrows(CompletionException.class, () -> limiter.acquireAsync("d").join()).getCause());
    assertFalse(tries(limiter, "a"), "what is known still owes");
    time.advance(MINUTE.plus(SOON));
    assertTrue(tries(limiter, "d"));
    assertEquals(1, limiter.size());
    assertThrows(IllegalArgumentException.class, () -> KeyedLimiter.builder("1/1m").maxKeys(0));
  }

  /** Equal to none once it has been told to fail. */
  private static final class Moody {
    boolean fails;

    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      if (fails) {
        throw new IllegalStateException("of the key");
      }
      return 1;
    }
  }

  @Test
  void aKeyThatFailsHarmsNoOther() {
    KeyedLimiter<Moody> limiter = KeyedLimiter.builder("1/1m").within(limiter("unlimited")).build();
    var bad = new Moody();
    var good = new Moody();
    assertTrue(limiter.tryAcquire(bad).isPresent());
    assertTrue(limiter.tryAcquire(good).isPresent());
    bad.fails = true;
    assertThrows(IllegalStateException.class, () -> limiter.tryAcquire(bad));
    time.advance(MINUTE.plus(SOON));
    assertTrue(limiter.tryAcquire(good).isPresent());
    assertFalse(limiter.tryAcquire(good).isPresent());
    bad.fails = false;
    assertTrue(limiter.tryAcquire(bad).isPresent());
    time.advance(MINUTE.plus(SOON));
    assertEquals(0, limiter.size());
  }

  @Test
  void aKeyIsDroppedAfterAChangeWhoseBridgeIsOver() {
    KeyedLimiter<String> limiter = keyed("peer(10/1m)");
    Permit before = limiter.tryAcquire("a").orElseThrow();
    limiter.setLimit("peer(1/1s)");
    before.answered();
    time.advance(SECOND.multipliedBy(2));
    Permit after = limiter.tryAcquire("a").orElseThrow();
    time.advance(MINUTE.multipliedBy(2));
    after.answered();
    time.advance(MINUTE.multipliedBy(2));
    assertEquals(0, limiter.size());
  }

  /** A clock that wakes threads in time, but whose timer does not come. */
  private final class LateTimer implements Time {
    @Override
    public long nanoTime() {
      return time.nanoTime();
    }

    @Override
    public Scheduled at(long instant, Runnable task) {
      return () -> true;
    }

    @Override
    public void parkUntil(Object blocker, long instant) {
      time.parkUntil(blocker, instant);
    }
  }

  @Test
  void anExpiredWaiterStillGoesWithLateOnesBeforeIt() throws Exception {
    Limiter all =
        Limiter.builder("unlimited").time(new LateTimer()).executor(Runnable::run).build();
    KeyedLimiter<String> limiter = KeyedLimiter.builder("2/1s").within(all).build();
    assertTrue(tries(limiter, "a"));
    assertTrue(tries(limiter, "a"));
    CompletableFuture<Permit> late = limiter.acquireAsync("a");
    var outcome = new CompletableFuture<Boolean>();
    var thread =
        new Thread(
            () -> {
              try {
                outcome.complete(limiter.limiter("a").tryAcquire(Cost.ONE, SECOND).isPresent());
              } catch (InterruptedException | RuntimeException failure) {
                outcome.completeExceptionally(failure);
              }
            });
    thread.start();
    Crew.awaitWaiting(all, 2);
    time.advance(SECOND);
    assertTrue(outcome.get(10, TimeUnit.SECONDS));
    assertTrue(late.isDone());
  }

  @Test
  void aKeyIsKeptWhileAPermitIsOpenThatOnlyTheLimitForAllMinds() {
    KeyedLimiter<String> limiter = keyed("10/1s", "concurrent(5)");
    Permit open = limiter.tryAcquire("a").orElseThrow();
    time.advance(SECOND.multipliedBy(2));
    assertEquals(1, limiter.size());
    limiter.setLimit("concurrent(1)");
    assertFalse(tries(limiter, "a"), "one is open");
    open.answered();
    time.advance(SECOND);
    assertEquals(0, limiter.size());
  }

  @Test
  void aKeyWhosePermitWasGivenUpIsDropped() {
    KeyedLimiter<String> limiter = keyed("peer(1/1s, abandon=10s)");
    assertTrue(tries(limiter, "a"));
    time.advance(MINUTE.multipliedBy(2));
    assertEquals(0, limiter.all().snapshot().open());
    time.advance(MINUTE);
    assertEquals(0, limiter.size());
  }

  @Test
  void whenPermitsOfKeysAreGivenUpIsNothingToOthers() {
    Limiter all = limiter("concurrent(2)");
    KeyedLimiter<String> limiter =
        KeyedLimiter.builder("peer(10/1m, abandon=10m)").within(all).build();
    Permit open = all.tryAcquire().orElseThrow();
    time.advance(MINUTE);
    assertTrue(tries(limiter, "a"));
    time.advance(MINUTE.multipliedBy(10));
    assertEquals(1, all.snapshot().open(), "that of the key is given up");
    time.advance(MINUTE);
    assertEquals(MINUTE.multipliedBy(12), all.snapshot().oldestOpen());
    assertTrue(all.tryAcquire().isPresent());
    assertFalse(all.tryAcquire().isPresent());
    open.answered();
    assertTrue(tries(limiter, "a"));
  }

  @Test
  void whenPermitsOfKeysAreGivenUpMayChange() {
    KeyedLimiter<String> limiter = keyed("peer(1/1s, abandon=10m)");
    Permit open = limiter.tryAcquire("a").orElseThrow();
    limiter.setLimit("peer(1/1s)");
    time.advance(MINUTE.multipliedBy(20));
    assertEquals(1, limiter.all().snapshot().open());
    limiter.setLimit("peer(1/1s, abandon=10m)");
    assertEquals(0, limiter.all().snapshot().open());
    open.answered(); // too late
    assertEquals(0, limiter.all().snapshot().open());
  }

  /** Not even of the slack: a key may be dropped only when it has all of it again. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "bucket(10/1s, slack=10s)",
        "bucket(10/1s, burst=2, slack=10s, pay=later)",
        "warmup(10/1s, over=0s, slack=10s)",
        "warmup(10/1s, over=100ms, slack=10s)"
      })
  void aKeyThatWasDroppedHasNoMoreThanOneThatWasKept(String limit) {
    KeyedLimiter<String> dropped = keyed(limit);
    Limiter kept = limiter(limit);
    for (int round = 0; round < 5; round++) {
      boolean more = true;
      for (int i = 0; more; i++) {
        more = kept.tryAcquire().isPresent();
        assertEquals(more, tries(dropped, "a"), "number " + i + " of round " + round);
      }
      for (int i = 0; i < 200; i++) {
        time.advance(SOON);
      }
    }
  }
}
