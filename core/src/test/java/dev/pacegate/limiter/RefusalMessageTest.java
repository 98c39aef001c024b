package dev.pacegate.limiter;

import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.RefusedException;
import dev.pacegate.Share;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** A refusal names the bound that the request broke. */
class RefusalMessageTest {

  private final ManualTime time = ManualTime.manual();

  private Limiter.Builder limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run);
  }

  private static void says(String message, Executable refused) {
    assertEquals(message, assertThrows(RefusedException.class, refused).getMessage());
  }

  private static void says(String message, CompletableFuture<?> refused) {
    var failure = assertThrows(CompletionException.class, refused::join);
    assertTrue(failure.getCause() instanceof RefusedException, failure::toString);
    assertEquals(message, failure.getCause().getMessage());
  }

  @Test
  void aCostTooLargeNamesTheLimitInForce() {
    Limiter limiter = limiter("10/1m").build();
    String message = "limiter 10/1m: a cost of 11 can never pass under 10/1m";
    says(message, () -> limiter.acquire(11));
    says(message, () -> limiter.tryAcquire(11));
    says(message, () -> limiter.poll(Cost.of(11)));
    says(message, () -> limiter.estimateWait(11));
    says(message, limiter.acquireAsync(11));

    limiter.setLimit("5/1m");
    says("limiter 10/1m: a cost of 6 can never pass under 5/1m", () -> limiter.acquire(6));
    CompletableFuture<Permit> waits = limiter.acquireAsync(5);
    CompletableFuture<Permit> behind = limiter.acquireAsync(4);
    limiter.setLimit("3/1m");
    assertTrue(waits.isCompletedExceptionally() || waits.isDone());
    says("limiter 10/1m: a cost of 4 can never pass under 3/1m", behind);
    assertEquals(0, limiter.snapshot().waiting());
  }

  @Test
  void aCostTooLargeTellsOfReservedShares() {
    Limiter limiter =
        limiter("10/1m").name("api").lane("sms", Share.weight(1).reserving(50)).build();
    says(
        "limiter api: a cost of 8 can never pass under 10/1m, of which shares are reserved",
        () -> limiter.acquire(8));
  }

  @Test
  void aCostTooLargeNamesTheLimitOfTheKey() {
    KeyedLimiter<String> alone = KeyedLimiter.builder("2/1m").name("api").time(time).build();
    says(
        "limiter api: a cost of 3 can never pass under 2/1m for the key",
        () -> alone.limiter("a").acquire(3));
    alone.limiter("a").setLimit("4/1m");
    says(
        "limiter api: a cost of 5 can never pass under 4/1m for the key",
        () -> alone.limiter("a").estimateWait(5));
    KeyedLimiter<String> within =
        KeyedLimiter.builder("9/1m").within("5/1m").name("api").time(time).build();
    says(
        "limiter api: a cost of 6 can never pass under 9/1m for the key and 5/1m for all",
        () -> within.limiter("a").tryAcquire(6));
  }

  @Test
  void aFullQueueNamesItsBounds() {
    Limiter limiter = limiter("1/1m").name("api").maxWaiting(0).build();
    assertTrue(limiter.tryAcquire().isPresent());
    says("limiter api: the wait queue is full: maxWaiting is 0", () -> limiter.acquire());
    says("limiter api: the wait queue is full: maxWaiting is 0", limiter.acquireAsync());

    KeyedLimiter<String> keys =
        KeyedLimiter.builder("1/1m")
            .name("api")
            .time(time)
            .maxWaiting(7)
            .maxWaitingPerKey(0)
            .build();
    assertTrue(keys.tryAcquire("a").isPresent());
    says(
        "limiter api: the wait queue is full: maxWaiting is 7, maxWaitingPerKey 0",
        () -> keys.acquire("a"));
  }

  @Test
  void aWaitTooLongNamesTheTimeAllowed() {
    Limiter limiter = limiter("peer(1/1m)").name("api").build();
    Permit open = limiter.tryAcquire().orElseThrow();
    open.answered();
    String atOnce =
        "limiter api: no permit within a maxWait of 2s: from now on it takes at least 1m";
    says(atOnce, () -> limiter.run(ofSeconds(2), () -> {}));
    says(atOnce, limiter.acquireAsync(ofSeconds(2)));
    says(atOnce.replace("2s", "0s"), () -> limiter.run(Duration.ZERO, () -> {}));

    Permit later = limiter.tryAcquire(1).orElse(null);
    assertEquals(null, later);
    assertEquals(0, limiter.snapshot().waiting());
  }

  @Test
  void aWaitThatTurnsOutTooLongNamesTheTimeAllowed() {
    Limiter limiter = limiter("concurrent(1)").name("api").build();
    Permit open = limiter.tryAcquire().orElseThrow();
    CompletableFuture<Permit> waits = limiter.acquireAsync(ofSeconds(2));
    time.advance(ofSeconds(2));
    says("limiter api: no permit within a maxWait of 2s", waits);
    open.answered();
    assertEquals(0, limiter.snapshot().open());
    assertEquals(0, limiter.snapshot().waiting());
  }
}
