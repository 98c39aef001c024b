package dev.pacegate.keys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.Permit;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What the limiter of all keys is told reaches every key. */
class ControlOfAllKeysTest {

  private static final Duration HOUR = Duration.ofHours(1);

  private static final List<Consumer<Limiter>> PAUSES =
      List.of(Limiter::pause, key -> key.pauseFor(HOUR), key -> key.peerRefused(HOUR));

  private final ManualTime time = ManualTime.manual();

  private KeyedLimiter<Integer> keyed(String perKey) {
    return KeyedLimiter.builder(perKey).time(time).executor(Runnable::run).build();
  }

  @Test
  void resumingAllResumesEachKey() {
    for (Consumer<Limiter> pause : PAUSES) {
      KeyedLimiter<Integer> keyed = keyed("unlimited");
      var places = new ArrayList<CompletableFuture<Permit>>();
      for (int key = 0; key < 250; key++) {
        Limiter one = keyed.limiter(key);
        pause.accept(one);
        assertTrue(one.tryAcquire().isEmpty());
        places.add(one.acquireAsync());
      }
      keyed.all().resume();
      assertEquals(250, places.stream().filter(CompletableFuture::isDone).count());
      assertFalse(keyed.limiter(0).snapshot().paused());
      assertTrue(keyed.tryAcquire(249).isPresent());
    }
  }

  @Test
  void aPausedKeyWithoutRequestsIsDroppedOnceAllAreResumed() {
    KeyedLimiter<Integer> keyed = keyed("unlimited");
    IntStream.range(0, 250).forEach(key -> keyed.limiter(key).pause());
    time.advance(HOUR);
    assertEquals(250, keyed.size());
    keyed.all().resume();
    time.advance(HOUR);
    assertEquals(0, keyed.size());
  }

  @Test
  void resumingReachesTheKeysOfAllKeyedLimitersAround() {
    Limiter all = Limiter.builder("unlimited").time(time).build();
    KeyedLimiter<String> accounts = KeyedLimiter.builder("1/1s").within(all).build();
    KeyedLimiter<String> hosts = KeyedLimiter.builder("1/1s").within(all).build();
    accounts.limiter("a").pause();
    hosts.limiter("h").pause();
    all.resume();
    assertTrue(accounts.tryAcquire("a").isPresent());
    assertTrue(hosts.tryAcquire("h").isPresent());
  }

  @Test
  void resumingAKeyLeavesAllPaused() {
    KeyedLimiter<Integer> keyed = keyed("unlimited");
    keyed.all().pause();
    keyed.limiter(1).pause();
    keyed.limiter(1).resume();
    assertTrue(keyed.tryAcquire(1).isEmpty());
    keyed.all().resume();
    assertTrue(keyed.tryAcquire(1).isPresent());
  }

  @Test
  void pausingAllStopsEachKey() {
    for (Consumer<Limiter> pause : PAUSES) {
      KeyedLimiter<Integer> keyed = keyed("unlimited");
      assertTrue(keyed.tryAcquire(1).isPresent());
      pause.accept(keyed.all());
      assertTrue(keyed.tryAcquire(1).isEmpty());
      assertTrue(keyed.tryAcquire(2).isEmpty());
      assertTrue(keyed.limiter(2).snapshot().paused());
    }
  }

  @Test
  void theLimitOfAllReachesEachKey() {
    KeyedLimiter<Integer> keyed =
        KeyedLimiter.builder("2/1s").within("9/1s").time(time).executor(Runnable::run).build();
    assertTrue(keyed.tryAcquire(1).isPresent());
    keyed.all().setLimit("1/1s");
    assertTrue(keyed.tryAcquire(2).isEmpty());
    CompletableFuture<Permit> third = keyed.acquireAsync(3);
    assertFalse(third.isDone());
    keyed.all().setLimit("2/1s");
    assertTrue(third.isDone());
    assertEquals(Limits.parse("2/1s"), keyed.limiter(4).limits().get(1));
  }

  @Test
  void aLimitEndsNoPause() {
    KeyedLimiter<Integer> keyed = keyed("1/1s");
    keyed.limiter(1).pause();
    keyed.setLimit("9/1s");
    keyed.limiter(1).setLimit("10/1s");
    keyed.all().setLimit("10/1s");
    assertTrue(keyed.tryAcquire(1).isEmpty());
  }

  @Test
  void aDryRunOfAllLetsEachKeyThrough() {
    KeyedLimiter<Integer> keyed = keyed("1/1s");
    keyed.limiter(1).pause();
    keyed.all().dryRun(true);
    assertTrue(keyed.tryAcquire(1).isPresent());
    assertEquals(1, keyed.limiter(1).snapshot().wouldHaveWaited());
  }

  @Test
  void closingAllClosesEachKey() {
    KeyedLimiter<Integer> keyed = keyed("1/1s");
    Limiter one = keyed.limiter(1);
    keyed.all().close();
    assertThrows(LimiterClosedException.class, one::tryAcquire);
    assertThrows(LimiterClosedException.class, () -> keyed.acquire(2));
  }
}
