package dev.pacegate.keys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.WaitQueueFullException;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** A key whose future was called, and for which no thread has come: its executor is busy. */
class LateFutureOfKeyTest {

  private static final Executor BUSY = task -> {};

  private final ManualTime time = ManualTime.manual();

  private CompletableFuture<Permit> comeLate(Limiter limiter) {
    CompletableFuture<Permit> place = limiter.acquireAsync(Cost.ONE, BUSY, permit -> {});
    time.advance(Duration.ofMillis(10));
    return place;
  }

  @Test
  void itWaitsAndIsNoOpenPermit() {
    KeyedLimiter<String> keyed = KeyedLimiter.builder("100/1s").time(time).build();
    CompletableFuture<Permit> place = comeLate(keyed.limiter("a"));
    assertEquals(1, keyed.limiter("a").snapshot().waiting());
    assertEquals(0, keyed.limiter("a").snapshot().open());
    assertTrue(place.cancel(false));
    assertEquals(0, keyed.limiter("a").snapshot().waiting());
  }

  @Test
  void anotherLimitIsInForceAtOnce() {
    KeyedLimiter<String> keyed = KeyedLimiter.builder("100/1s").time(time).build();
    CompletableFuture<Permit> place = comeLate(keyed.limiter("a"));
    assertFalse(place.isDone());
    keyed.setLimit("1/1h");
    time.advance(Duration.ofSeconds(2));
    assertTrue(keyed.tryAcquire("a").isPresent());
    assertFalse(keyed.tryAcquire("a").isPresent());
  }

  @Test
  void itGoesUnderTheLimitThatItsKeyHasByThen() {
    var tasks = new ArrayDeque<Runnable>();
    KeyedLimiter<String> keyed = KeyedLimiter.builder("100/1s").time(time).build();
    var released = new ArrayList<Permit>();
    for (int i = 0; i < 3; i++) {
      var place = keyed.limiter("a").acquireAsync(Cost.ONE, tasks::add, released::add);
      assertFalse(place.isDone());
    }
    time.advance(Duration.ofMillis(100));
    keyed.setLimit("1/1h");
    tasks.forEach(Runnable::run);
    assertEquals(1, released.size());
  }

  @Test
  void itCountsForTheBoundOfWaitersPerKey() {
    KeyedLimiter<String> keyed =
        KeyedLimiter.builder("100/1s").time(time).maxWaitingPerKey(1).build();
    CompletableFuture<Permit> place = comeLate(keyed.limiter("a"));
    assertFalse(place.isDone());
    CompletableFuture<Permit> second = comeLate(keyed.limiter("a"));
    var refused = assertThrows(CompletionException.class, second::join);
    assertInstanceOf(WaitQueueFullException.class, refused.getCause());
    assertFalse(comeLate(keyed.limiter("b")).isDone());
  }

  @Test
  void aViewOfAKeyThatIsNotKnownHasNothingToClose() {
    KeyedLimiter<String> keyed = KeyedLimiter.builder("1/1h").time(time).maxKeys(1).build();
    assertTrue(keyed.tryAcquire("a").isPresent());
    try (Limiter other = keyed.limiter("b")) {
      other.resume();
      assertEquals(0, other.snapshot().granted());
    }
    assertEquals(1, keyed.size());
  }
}
