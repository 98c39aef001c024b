package dev.pacegate.keys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

@SuppressWarnings("FutureReturnValueIgnored") // what becomes of a place is seen in `released`
class KeyedLimiterTest extends KeyedLimiterCases {

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
  void aRequestRefusedByOneLimitIsChargedToNeither() {
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
  void aKeyThatMustWaitForItselfHoldsUpNoOther() {
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
  void closingRefusesTheWaitersOfAKeyAndNoOthers() {
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
}
