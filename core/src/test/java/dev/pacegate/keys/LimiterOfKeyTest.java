package dev.pacegate.keys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.Permit;
import dev.pacegate.Snapshot;
import dev.pacegate.TooManyKeysException;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** A key as a limiter. */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of a place is seen in `released`
class LimiterOfKeyTest {

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final ManualTime time = ManualTime.manual();
  private final List<String> released = new ArrayList<>();

  private KeyedLimiter.Builder builder(String perKey) {
    return KeyedLimiter.builder(perKey).time(time).executor(Runnable::run);
  }

  private KeyedLimiter<String> keyed(String perKey) {
    return builder(perKey).build();
  }

  private CompletableFuture<Permit> ask(Limiter limiter, String name) {
    CompletableFuture<Permit> place = limiter.acquireAsync();
    var unused = place.thenRun(() -> released.add(name));
    return place;
  }

  private static int takeAll(Limiter limiter) {
    int taken = 0;
    while (limiter.tryAcquire().isPresent()) {
      taken++;
    }
    return taken;
  }

  @Test
  void makingOneAndAskingForItsNameMakesNoKeyKnown() {
    KeyedLimiter<String> keyed = builder("3/1m").name("api").build();
    Limiter a = keyed.limiter("a");
    assertEquals("api[a]", a.name());
    assertEquals("3/1m", a.limit().toString());
    assertEquals("Limiter[api[a]: 3/1m]", a.toString());
    assertEquals(0, keyed.size());
  }

  @Test
  void itsLimitsAreItsOwnAndThatOfAllKeys() {
    KeyedLimiter<String> keyed = builder("3/1m").within("peer(9/1m)").build();
    Limiter a = keyed.limiter("a");
    assertEquals(Limits.parse("peer(9/1m)"), a.limits().get(1));
    assertEquals(0, keyed.size());
    a.setLimit("5/1m");
    keyed.all().setLimit("8/1m");
    assertEquals(List.of(Limits.parse("5/1m"), Limits.parse("8/1m")), a.limits());
    assertEquals(List.of(Limits.parse("8/1m")), keyed.all().limits());
    assertEquals(Limits.unlimited(), keyed("3/1m").limiter("a").limits().get(1));
    assertEquals(1, keyed.size());
  }

  /** The snapshot of a whole limiter does, too. */
  @Test
  void aSnapshotFindsWhatIsDueThoughTheTimerIsLate() {
    var clock =
        new Time() {
          private long ahead;

          @Override
          public long nanoTime() {
            return time.nanoTime() + ahead;
          }

          @Override
          public Scheduled at(long instant, Runnable task) {
            return time.at(instant, task);
          }
        };
    Limiter a =
        KeyedLimiter.builder("1/1s").time(clock).executor(Runnable::run).build().limiter("a");
    ask(a, "1");
    ask(a, "2");
    clock.ahead = SECOND.toNanos() - 1;
    assertEquals(1, a.snapshot().waiting());
    clock.ahead++;
    var unused = a.snapshot();
    assertEquals(List.of("1", "2"), released);
  }

  @Test
  void allOfOneKeyAreTheSameLimiter() throws Exception {
    KeyedLimiter<String> keyed = keyed("3/1m");
    assertEquals("answer", keyed.limiter("a").call(() -> "answer"));
    assertTrue(keyed.limiter("a").acquireAsync().isDone());
    assertTrue(keyed.tryAcquire("a").isPresent());
    assertEquals(0, takeAll(keyed.limiter("a")));
    assertEquals(MINUTE, keyed.limiter("a").estimateWait(1));
    assertEquals(3, takeAll(keyed.limiter("b")));
    time.advance(MINUTE.plus(SECOND));
    assertEquals(0, keyed.size());
  }

  @Test
  void anIdleLimiterKeepsNoKey() {
    KeyedLimiter<String> keyed = keyed("1/1s");
    Limiter a = keyed.limiter("a");
    for (int i = 0; i < 3; i++) {
      assertEquals(1, takeAll(a));
      assertEquals(1, keyed.size());
      time.advance(SECOND.multipliedBy(2));
      assertEquals(0, keyed.size());
    }
  }

  @Test
  void whereThereAreTooManyKeysEachVerbSaysSoInItsWay() throws Exception {
    KeyedLimiter<String> keyed = builder("1/1m").maxKeys(1).build();
    assertTrue(keyed.tryAcquire("a").isPresent());
    Limiter b = keyed.limiter("b");
    assertTrue(b.tryAcquire().isEmpty());
    assertTrue(b.tryAcquire(Cost.ONE, SECOND).isEmpty());
    assertNull(b.poll(Cost.ONE));
    b.peerRefused(SECOND);
    assertThrows(TooManyKeysException.class, b::acquire);
    assertThrows(TooManyKeysException.class, () -> b.call(() -> "answer"));
    assertThrows(TooManyKeysException.class, b::pause);
    assertEquals(0, b.snapshot().granted());
    assertTooMany(b.acquireAsync());
    assertTooMany(b.callAsync(() -> CompletableFuture.completedFuture("answer")));
    assertTooMany(b.acquireAsync(Cost.ONE, Runnable::run, Permit::answered));
    assertEquals("1/1m", b.limit().toString());
    time.advance(MINUTE.plus(SECOND));
    assertTrue(b.tryAcquire().isPresent());
  }

  private static void assertTooMany(CompletableFuture<?> place) {
    var failure = assertThrows(CompletionException.class, place::join);
    assertInstanceOf(TooManyKeysException.class, failure.getCause());
  }

  // ---- pauses

  @Test
  void aPauseIsOfOneKeyAndKeepsItFromBeingDropped() {
    KeyedLimiter<String> keyed = keyed("2/1s");
    Limiter a = keyed.limiter("a");
    a.pause();
    assertTrue(a.snapshot().paused());
    assertFalse(keyed.limiter("b").snapshot().paused());
    assertEquals(0, takeAll(a));
    assertEquals(2, takeAll(keyed.limiter("b")));
    ask(a, "a");
    time.advance(Duration.ofDays(400));
    assertEquals(1, keyed.size());
    assertEquals(List.of(), released);
    assertEquals(Duration.ZERO, a.estimateWait(1), "it may be resumed now");
    a.resume();
    assertEquals(List.of("a"), released);
    time.advance(SECOND.multipliedBy(2));
    assertEquals(0, keyed.size());
    assertEquals(0, time.pending());
  }

  @Test
  void aPauseThatEndsByItselfDoesSo() {
    KeyedLimiter<String> keyed = keyed("2/1s");
    Limiter a = keyed.limiter("a");
    a.pauseFor(MINUTE);
    a.pauseFor(SECOND); // cuts nothing
    ask(a, "a");
    assertEquals(MINUTE, a.estimateWait(1));
    time.advance(MINUTE.minusNanos(1));
    assertEquals(List.of(), released);
    time.advanceNanos(1);
    assertEquals(List.of("a"), released);
    time.advance(SECOND.multipliedBy(2));
    assertEquals(0, keyed.size());
  }

  @Test
  void aWaiterOfAPausedKeyWaitsAndOthersAreCalled() {
    var tasks = new ArrayList<Runnable>();
    KeyedLimiter<String> keyed =
        KeyedLimiter.builder("unlimited").within("2/1s").time(time).executor(tasks::add).build();
    assertEquals(2, takeAll(keyed.all()));
    CompletableFuture<Permit> ofA = ask(keyed.limiter("a"), "a");
    ask(keyed.limiter("b"), "b");
    ask(keyed.limiter("c"), "c");
    time.advance(SECOND); // two of them are called, and the executor does not come yet
    keyed.limiter("a").pause();
    List.copyOf(tasks).forEach(Runnable::run);
    assertFalse(ofA.isDone());
    assertEquals(Set.of("b", "c"), Set.copyOf(released));
    assertEquals(1, keyed.all().snapshot().waiting());
    keyed.limiter("a").resume();
    time.advance(SECOND);
    tasks.forEach(Runnable::run);
    assertEquals(3, released.size());
    assertTrue(ofA.isDone());
  }

  @Test
  void aPauseOfAllHoldsForEachKey() {
    KeyedLimiter<String> keyed = keyed("2/1s");
    keyed.all().pause();
    assertTrue(keyed.limiter("a").snapshot().paused());
    keyed.limiter("a").resume();
    assertEquals(0, takeAll(keyed.limiter("a")));
    keyed.all().resume();
    assertEquals(2, takeAll(keyed.limiter("a")));
  }

  // ---- limits of their own

  @Test
  void aKeyCanHaveAnotherLimitAndKeepsItWhenItIsDropped() {
    KeyedLimiter<String> keyed = keyed("2/1s");
    Limiter large = keyed.limiter("large");
    large.setLimit("5/1s");
    assertEquals(1, keyed.size(), "the key with a limit of its own");
    for (int i = 0; i < 3; i++) {
      assertEquals(5, takeAll(large));
      assertEquals(2, takeAll(keyed.limiter("small")));
      time.advance(SECOND.multipliedBy(2));
      assertEquals(1, keyed.size());
    }
    assertEquals("5/1s", keyed.limiter("large").limit().toString());
    assertEquals("2/1s", keyed.limiter("small").limit().toString());
  }

  @Test
  void theLimitOfAKeyChangesForThoseWhoWait() {
    KeyedLimiter<String> keyed = keyed("1/1h");
    Limiter a = keyed.limiter("a");
    ask(a, "a");
    ask(a, "a");
    ask(keyed.limiter("b"), "b");
    ask(keyed.limiter("b"), "b");
    a.setLimit("2/1h");
    assertEquals(List.of("a", "b", "a"), released, "what was released counts");
    assertEquals(0, takeAll(a));
  }

  @Test
  void openPermitsMoveToTheLimitOfTheirKey() {
    KeyedLimiter<String> keyed = keyed("concurrent(1)");
    Limiter a = keyed.limiter("a");
    Permit first = a.tryAcquire().orElseThrow();
    a.setLimit("concurrent(2)");
    Permit second = a.tryAcquire().orElseThrow();
    assertEquals(0, takeAll(a));
    first.answered();
    second.answered();
    assertEquals(2, takeAll(a));
    assertEquals(1, takeAll(keyed.limiter("b")));
  }

  @Test
  void theCommonLimitTakesTheOwnOneBackAndOtherwiseDoesNotTouchIt() {
    KeyedLimiter<String> keyed = keyed("2/1m");
    Limiter a = keyed.limiter("a");
    a.setLimit("5/1m");
    keyed.setLimit("3/1m");
    assertEquals("5/1m", a.limit().toString());
    assertEquals(5, takeAll(a));
    a.setLimit("3/1m");
    keyed.setLimit("7/1m");
    assertEquals("7/1m", a.limit().toString());
    assertEquals(2, takeAll(a), "five have gone");
    assertEquals(7, takeAll(keyed.limiter("b")));
  }

  @Test
  void aCostOfTheOwnLimitIsKnown() {
    KeyedLimiter<String> keyed = keyed("2/1m");
    Limiter a = keyed.limiter("a");
    a.setLimit("2/1m & 100/1m of tokens");
    assertTrue(a.tryAcquire(Cost.of("tokens", 80)).isPresent());
    assertTrue(a.tryAcquire(Cost.of("tokens", 21)).isEmpty());
    assertTrue(a.tryAcquire(Cost.of("tokens", 20)).isPresent());
  }

  // ---- what it tells

  @Test
  void aSnapshotIsOfTheKey() {
    KeyedLimiter<String> keyed = builder("concurrent(2)").name("api").build();
    Limiter a = keyed.limiter("a");
    assertEquals(2, takeAll(a));
    ask(a, "a");
    assertEquals(2, takeAll(keyed.limiter("b")));
    Snapshot ofKey = a.snapshot();
    assertEquals("api[a]", ofKey.name());
    assertEquals(Limits.parse("concurrent(2)"), ofKey.limit());
    assertEquals(2, ofKey.granted());
    assertEquals(1, ofKey.waiting());
    assertEquals(2, ofKey.open());
    assertEquals(2, ofKey.most().get(0).count());
    assertEquals(4, keyed.all().snapshot().granted());
  }

  @Test
  void closingTurnsAwayThoseWhoWaitForTheKeyAndThatIsAll() {
    KeyedLimiter<String> keyed = keyed("1/1s");
    assertEquals(1, takeAll(keyed.limiter("a")));
    assertEquals(1, takeAll(keyed.limiter("b")));
    CompletableFuture<Permit> ofA = ask(keyed.limiter("a"), "a");
    ask(keyed.limiter("b"), "b");
    keyed.limiter("a").close();
    var failure = assertThrows(CompletionException.class, ofA::join);
    assertInstanceOf(LimiterClosedException.class, failure.getCause());
    time.advance(SECOND);
    assertEquals(List.of("b"), released);
    assertEquals(1, takeAll(keyed.limiter("a")));
  }

  @Test
  void aVerbOfAllKeysIsRefusedAndSaysWhere() {
    Limiter a = keyed("1/1s").limiter("a");
    assertThrows(UnsupportedOperationException.class, () -> a.lane("default"));
    assertThrows(UnsupportedOperationException.class, () -> a.dryRun(true));
    assertThrows(
        IllegalArgumentException.class, () -> KeyedLimiter.builder("1/1s").within(a).build());
  }

  /** Counts what is left for a timer: each waiter that looks again at another instant. */
  private static final class CountedTime implements Time {

    private final ManualTime time = ManualTime.manual();
    private int appointments;

    @Override
    public long nanoTime() {
      return time.nanoTime();
    }

    @Override
    public Scheduled at(long instant, Runnable task) {
      appointments++;
      return time.at(instant, task);
    }
  }

  @Test
  void aPauseOfOneKeyTimesNoOtherAnew() {
    var counted = new CountedTime();
    KeyedLimiter<Integer> keyed = KeyedLimiter.builder("1/1m").time(counted).build();
    for (int key = 0; key < 1_000; key++) {
      assertTrue(keyed.tryAcquire(key).isPresent());
      keyed.acquireAsync(key);
    }
    int before = counted.appointments;
    keyed.limiter(500).pauseFor(MINUTE.multipliedBy(2));
    keyed.limiter(500).peerRefused(MINUTE.multipliedBy(3));
    keyed.limiter(500).resume();
    int made = counted.appointments - before;
    assertTrue(made <= 5, made + " appointments");
    keyed.close();
  }
}
