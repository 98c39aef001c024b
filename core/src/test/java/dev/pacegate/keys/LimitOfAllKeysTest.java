package dev.pacegate.keys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Time;
import dev.pacegate.time.Timer.Scheduled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Another limit of all keys is put in force key by key. */
class LimitOfAllKeysTest {

  private static final int MANY = 200;
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualTime time = ManualTime.manual();

  /** Counts readings of the clock: each stay in the gate reads it once. */
  private final class CountedTime implements Time {
    int readings;

    @Override
    public long nanoTime() {
      readings++;
      return time.nanoTime();
    }

    @Override
    public Scheduled at(long instant, Runnable task) {
      return time.at(instant, task);
    }
  }

  /** Runs {@code made} whenever a key gets a meter. */
  private record Watched(Limit limit, Runnable made) implements Limit {

    @Override
    public Meter newMeter(long now) {
      made.run();
      return limit.newMeter(now);
    }

    @Override
    public List<Promise> promises() {
      return limit.promises();
    }
  }

  private static void spend(KeyedLimiter<Integer> keyed) {
    for (int key = 0; key < MANY; key++) {
      keyed.tryAcquire(key).orElseThrow().answered();
    }
  }

  private static List<CompletableFuture<Permit>> wait(KeyedLimiter<Integer> keyed) {
    var places = new ArrayList<CompletableFuture<Permit>>();
    for (int key = 0; key < MANY; key++) {
      places.add(keyed.acquireAsync(key));
    }
    return places;
  }

  private static long done(List<CompletableFuture<Permit>> places) {
    return places.stream().filter(CompletableFuture::isDone).count();
  }

  @Test
  void noStayInTheGateChangesTwoKeys() {
    var counted = new CountedTime();
    try (KeyedLimiter<Integer> keyed =
        KeyedLimiter.builder("peer(1/1h)").time(counted).executor(Runnable::run).build()) {
      spend(keyed);
      assertEquals(0, done(wait(keyed)));
      var stays = new ArrayList<Integer>();
      keyed.setLimit(new Watched(Limits.parse("peer(1/2h)"), () -> stays.add(counted.readings)));
      List<Integer> ofKeys = stays.subList(stays.size() - MANY, stays.size());
      assertEquals(MANY, new HashSet<>(ofKeys).size());
    }
  }

  /** The first key goes on at once, and lets time pass before the others are changed. */
  @Test
  void aKeyWhoseTurnComesMeanwhileFollowsTheNewLimit() {
    try (KeyedLimiter<Integer> keyed =
        KeyedLimiter.builder("2/1s").time(time).executor(Runnable::run).build()) {
      spend(keyed);
      spend(keyed);
      var places = new ArrayList<CompletableFuture<Permit>>();
      for (int key = 0; key < MANY; key++) {
        places.add(keyed.limiter(key).acquireAsync(key == 0 ? 1 : 2));
      }
      var unused = places.get(0).thenRun(() -> time.advance(SECOND));
      keyed.setLimit("3/1h");
      assertEquals(1, done(places));
      time.advance(Duration.ofHours(1));
      assertEquals(MANY, done(places));
    }
  }

  @Test
  void idleKeysAreLeftAlone() {
    try (KeyedLimiter<Integer> keyed =
        KeyedLimiter.builder("1/1h").time(time).executor(Runnable::run).build()) {
      var made = new AtomicInteger();
      keyed.setLimit(new Watched(Limits.parse("2/1h"), made::incrementAndGet));
      int withoutKeys = made.getAndSet(0);
      spend(keyed);
      made.set(0);
      keyed.setLimit(new Watched(Limits.parse("3/1h"), made::incrementAndGet));
      assertEquals(withoutKeys, made.get());
    }
  }

  /** The limit fails for the first key; that waits, and no other caller hears of it. */
  @Test
  void aKeyWhoseNextMeterFailsIsTriedAgainLater() {
    try (KeyedLimiter<Integer> keyed =
        KeyedLimiter.builder("1/1h").time(time).executor(Runnable::run).build()) {
      var left = new AtomicInteger(Integer.MAX_VALUE);
      Runnable fails =
          () -> {
            if (left.decrementAndGet() == 0) {
              throw new IllegalStateException("thrown by a test");
            }
          };
      keyed.setLimit(new Watched(Limits.parse("1/2h"), fails));
      int withoutKeys = Integer.MAX_VALUE - left.get();
      spend(keyed);
      List<CompletableFuture<Permit>> places = wait(keyed);
      left.set(withoutKeys + 1);
      keyed.setLimit(new Watched(Limits.parse("2/1h"), fails));
      assertEquals(MANY - 1, done(places));
      assertTrue(keyed.tryAcquire(MANY).isPresent());
      time.advance(Duration.ofMinutes(2));
      assertEquals(MANY, done(places));
    }
  }

  @Test
  void keysThatWaitForTheirGroupGoOnUnderALargerLimitOfGroups() {
    Limiter all = Limiter.builder("unlimited").time(time).executor(Runnable::run).build();
    KeyedLimiter<Boolean> groups = KeyedLimiter.builder("1/1h").within(all).build();
    try (KeyedLimiter<Integer> keyed =
        KeyedLimiter.builder("unlimited").within(groups, (Integer key) -> key % 2 == 0).build()) {
      List<CompletableFuture<Permit>> places = wait(keyed);
      assertEquals(2, done(places));
      groups.setLimit(MANY + "/1h");
      assertEquals(MANY, done(places));
    }
  }

  @Test
  void waitersOfAllKeysGoOnUnderALargerLimit() {
    try (KeyedLimiter<Integer> keyed =
        KeyedLimiter.builder("1/1h").time(time).executor(Runnable::run).build()) {
      spend(keyed);
      List<CompletableFuture<Permit>> places = wait(keyed);
      keyed.setLimit("2/1h");
      assertEquals(MANY, done(places));
    }
  }

  @Test
  void anOpenPermitCountsUnderTheNewLimitWhileOthersOfItsKeyWait() {
    try (KeyedLimiter<Integer> keyed =
        KeyedLimiter.builder("concurrent(1)").time(time).executor(Runnable::run).build()) {
      Permit open = keyed.tryAcquire(1).orElseThrow();
      CompletableFuture<Permit> place = keyed.acquireAsync(1);
      keyed.setLimit("peer(1/1s)");
      time.advance(Duration.ofSeconds(3));
      assertFalse(place.isDone());
      open.answered();
      time.advance(SECOND);
      assertFalse(place.isDone());
      time.advance(SECOND);
      assertTrue(place.isDone());
    }
  }
}
