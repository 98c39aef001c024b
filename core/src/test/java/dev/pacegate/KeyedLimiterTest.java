package dev.pacegate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Cost;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@SuppressWarnings("FutureReturnValueIgnored") // what becomes of a place is seen in `released`
class KeyedLimiterTest {

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration SOON = Duration.ofMillis(10); // by when what is at rest is dropped

  private final ManualTime time = ManualTime.manual();
  private final List<String> released = new ArrayList<>();

  private KeyedLimiter<String> keyed(String perKey) {
    return keyed(perKey, "unlimited");
  }

  private KeyedLimiter<String> keyed(String perKey, String all) {
    return KeyedLimiter.builder(perKey).within(limiter(all)).build();
  }

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).stamped(true).build();
  }

  private CompletableFuture<Permit> ask(KeyedLimiter<String> limiter, String key) {
    CompletableFuture<Permit> place = limiter.acquireAsync(key);
    var unused = place.thenRun(() -> released.add(key));
    return place;
  }

  private static boolean tries(KeyedLimiter<String> limiter, String key) {
    return limiter.tryAcquire(key).isPresent();
  }

  // ---- each key

  @Test
  void eachKeyHasALimitOfItsOwn() {
    KeyedLimiter<String> limiter = keyed("2/1m");
    assertTrue(tries(limiter, "a"));
    assertTrue(tries(limiter, "a"));
    assertFalse(tries(limiter, "a"));
    assertTrue(tries(limiter, "b"));
    assertEquals(MINUTE, limiter.limiter("a").estimateWait(Cost.ONE));
    assertEquals(Duration.ZERO, limiter.limiter("b").estimateWait(Cost.ONE));
  }

  @Test
  void keysDoNotWaitForEachOther() {
    KeyedLimiter<String> limiter = keyed("1/1m");
    ask(limiter, "a");
    ask(limiter, "a");
    ask(limiter, "b");
    assertEquals(List.of("a", "b"), released);
    time.advance(MINUTE);
    assertEquals(List.of("a", "b", "a"), released);
    assertEquals(0, limiter.all().snapshot().waiting());
  }

  @Test
  void anEndWakesWhoWaitsForTheSameKey() {
    KeyedLimiter<String> limiter = keyed("concurrent(1)");
    Permit a = limiter.tryAcquire("a").orElseThrow();
    Permit b = limiter.tryAcquire("b").orElseThrow();
    CompletableFuture<Permit> nextOfA = ask(limiter, "a");
    CompletableFuture<Permit> nextOfB = ask(limiter, "b");
    b.answered();
    assertFalse(nextOfA.isDone());
    assertTrue(nextOfB.isDone());
    a.answered();
    nextOfA.join().answered();
    nextOfB.join().answered();
    assertEquals(0, limiter.all().snapshot().open());
  }

  @Test
  void aJobEndsItsPermitAsItTurnsOut() throws Exception {
    KeyedLimiter<String> limiter = keyed("concurrent(1)");
    assertEquals("answer", limiter.call("a", () -> "answer"));
    assertThrows(
        IllegalStateException.class,
        () ->
            limiter.call(
                "a",
                () -> {
                  throw new IllegalStateException("of the job");
                }));
    var stage = new CompletableFuture<String>();
    CompletableFuture<String> answer = limiter.callAsync("a", () -> stage);
    assertFalse(tries(limiter, "a"));
    stage.complete("later");
    assertEquals("later", answer.join());
    assertEquals(0, limiter.all().snapshot().open());
  }

  @Test
  void aThreadWaitsForItsKey() throws InterruptedException {
    var waiting = ManualTime.selfAdvancing();
    KeyedLimiter<String> limiter =
        KeyedLimiter.builder("1/1s")
            .within(Limiter.builder("unlimited").time(waiting).stamped(true).build())
            .build();
    limiter.acquire("a");
    assertEquals(SECOND.toNanos(), limiter.acquire("a").releasedAt());
    assertEquals(Duration.ofSeconds(1), limiter.acquire("a").waited());
    assertTrue(limiter.limiter("a").tryAcquire(Cost.ONE, SECOND).isPresent());
    assertFalse(limiter.limiter("a").tryAcquire(Cost.ONE, Duration.ofMillis(999)).isPresent());
  }

  // ---- within

  @Test
  void whatIsRefusedByOneIsChargedToNeither() {
    KeyedLimiter<String> limiter = keyed("2/1m", "3/1m");
    assertTrue(tries(limiter, "a"));
    assertTrue(tries(limiter, "a"));
    for (int i = 0; i < 10; i++) {
      assertFalse(tries(limiter, "a"), "refused by the key's limit");
    }
    assertTrue(tries(limiter, "b"), "and not charged to all");
    for (int i = 0; i < 10; i++) {
      assertFalse(tries(limiter, "c"), "refused by the limit for all");
    }
    limiter.all().setLimit("unlimited");
    assertTrue(tries(limiter, "c"), "and not charged to the key");
    assertTrue(tries(limiter, "c"));
    assertFalse(tries(limiter, "c"));
  }

  @Test
  void keysTakeTurnsAtTheLimitForAll() {
    KeyedLimiter<String> limiter = keyed("unlimited", "3/1s");
    for (int i = 0; i < 30; i++) {
      ask(limiter, "greedy");
    }
    for (int i = 0; i < 2; i++) {
      ask(limiter, "b");
      ask(limiter, "c");
    }
    time.advance(SECOND);
    time.advance(SECOND);
    assertEquals(2, released.stream().filter("b"::equals).count());
    assertEquals(2, released.stream().filter("c"::equals).count());
    assertEquals(9, released.size());
  }

  @Test
  void aKeyThatMustWaitForItselfHoldsUpNobody() {
    KeyedLimiter<String> limiter = keyed("1/1m", "10/1s");
    for (int i = 0; i < 5; i++) {
      ask(limiter, "a");
    }
    for (int i = 0; i < 9; i++) {
      ask(limiter, "b" + i);
    }
    assertEquals(10, released.size());
    ask(limiter, "c");
    assertEquals(10, released.size());
    time.advance(SECOND);
    assertEquals("c", released.get(10));
  }

  @Test
  void aKeyThatHasWaitedForItselfHasSavedUpNoTurns() {
    Limiter all = limiter("1/1s");
    KeyedLimiter<String> limiter = KeyedLimiter.builder("concurrent(5)").within(all).build();
    var open = new ArrayList<Permit>();
    for (int i = 0; i < 40; i++) {
      var unused = ask(limiter, "key").thenAccept(open::add);
      all.acquireAsync().thenRun(() -> released.add("other"));
    }
    for (int second = 0; second < 30; second++) {
      time.advance(SECOND);
    }
    assertEquals(5, open.size());
    released.clear();
    List.copyOf(open).forEach(Permit::answered);
    for (int second = 0; second < 6; second++) {
      time.advance(SECOND);
    }
    assertEquals(3, Collections.frequency(released, "key"), 1);
  }

  @Test
  void otherUsersOfTheLimiterForAllAreCountedToo() {
    Limiter api = limiter("3/1m");
    KeyedLimiter<String> limiter = KeyedLimiter.builder("2/1m").within(api).build();
    assertTrue(api.tryAcquire(2).isPresent());
    assertTrue(tries(limiter, "a"));
    assertFalse(tries(limiter, "a"));
    assertFalse(api.tryAcquire().isPresent());
    limiter.close();
    assertThrows(LimiterClosedException.class, () -> tries(limiter, "a"));
    time.advance(MINUTE);
    assertTrue(api.tryAcquire().isPresent(), "which is not closed");
  }

  @Test
  void closingTurnsAwayWhoWaitsForAKeyAndNobodyElse() {
    Limiter api = limiter("1/1m");
    KeyedLimiter<String> limiter = KeyedLimiter.builder("1/1m").within(api).build();
    ask(limiter, "a");
    CompletableFuture<Permit> ofKey = ask(limiter, "a");
    CompletableFuture<Permit> direct = api.acquireAsync();
    limiter.close();
    assertInstanceOf(
        LimiterClosedException.class,
        assertThrows(CompletionException.class, ofKey::join).getCause());
    time.advance(MINUTE);
    assertTrue(direct.isDone());
  }

  @Test
  void aPauseOfTheLimiterForAllIsOneForEveryKey() {
    KeyedLimiter<String> limiter = keyed("2/1s", "100/1s");
    limiter.all().pause();
    assertFalse(tries(limiter, "a"));
    ask(limiter, "a");
    limiter.all().resume();
    assertEquals(List.of("a"), released);
  }

  // ---- changes

  @Test
  void aChangedLimitReTimesThoseWhoWaitAndKeepsWhatWasReleased() {
    KeyedLimiter<String> limiter = keyed("1/1h");
    ask(limiter, "a");
    ask(limiter, "a");
    assertTrue(tries(limiter, "b"));
    limiter.setLimit("2/1h");
    assertEquals(List.of("a", "a"), released);
    assertTrue(tries(limiter, "b"), "one of two has gone");
    assertFalse(tries(limiter, "b"));
    assertFalse(tries(limiter, "a"));
    assertTrue(tries(limiter, "new"));
    assertTrue(tries(limiter, "new"));
    assertFalse(tries(limiter, "new"));
  }

  @Test
  void openPermitsMoveToTheChangedLimit() {
    KeyedLimiter<String> limiter = keyed("concurrent(1)");
    Permit open = limiter.tryAcquire("a").orElseThrow();
    limiter.setLimit("concurrent(2)");
    Permit second = limiter.tryAcquire("a").orElseThrow();
    assertFalse(tries(limiter, "a"));
    open.answered();
    assertTrue(tries(limiter, "a"));
    second.answered();
    assertTrue(tries(limiter, "a"));
    assertFalse(tries(limiter, "a"));
  }

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
  void aKeyIsKeptWhileSomebodyWaitsForIt() {
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
  void whenThereAreTooManyKeysNewOnesAreRefusedAndNobodyIsPushedOut() {
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
  void whoIsOutOfTimeStillGoesWithThoseBeforeItWhoAreLate() throws Exception {
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
    while (all.snapshot().waiting() < 2) {
      Thread.onSpinWait();
    }
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
