package dev.pacegate.keys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import dev.pacegate.waiting.Crew;
import dev.pacegate.waiting.Race;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many threads and many keys at once, in real time. */
@Tag("slow")
class KeyRacesTest {

  private static final int KEYS = 50;

  @Test
  void noPermitIsChargedToOneAndRefusedByTheOther() {
    KeyedLimiter<Integer> limiter = KeyedLimiter.builder("10/1h").within("300/1h").build();
    var granted = new AtomicLongArray(KEYS);
    Race.Turn turn =
        random -> {
          int key = random.nextInt(KEYS);
          if (limiter.tryAcquire(key).isPresent()) {
            granted.incrementAndGet(key);
          }
        };
    Race.ofTurns(5_000, turn);
    assertEquals(300, sum(granted), "every permit that all together have");
    limiter.all().setLimit("unlimited");
    Race.ofTurns(5_000, turn);
    for (int key = 0; key < KEYS; key++) {
      assertEquals(10, granted.get(key), "key " + key + " has not lost a permit to a refusal");
    }
  }

  @Test
  void noPermitIsChargedToAllAndRefusedByItsKey() {
    KeyedLimiter<Integer> limiter = KeyedLimiter.builder("1/1h").within("1000/1h").build();
    var granted = new AtomicLongArray(KEYS);
    Race.ofTurns(
        5_000,
        random -> {
          int key = random.nextInt(KEYS);
          if (limiter.tryAcquire(key).isPresent()) {
            granted.incrementAndGet(key);
          }
        });
    assertEquals(KEYS, sum(granted));
    limiter.setLimit("unlimited");
    assertTrue(limiter.limiter(0).tryAcquire(Cost.of(1000 - KEYS)).isPresent());
    assertTrue(limiter.tryAcquire(0).isEmpty());
  }

  private static long sum(AtomicLongArray array) {
    long sum = 0;
    for (int i = 0; i < array.length(); i++) {
      sum += array.get(i);
    }
    return sum;
  }

  /** The shorter the interval, the more often a key is dropped while a caller comes for it. */
  @Test
  void aKeyThatIsDroppedAndComesBackHasOneLimitAllTheTime() throws InterruptedException {
    var limit = Limits.parse("1/2ms");
    Limiter all = Limiter.builder("unlimited").stamped(true).build();
    KeyedLimiter<Integer> limiter = KeyedLimiter.builder(limit).within(all).build();
    var releases = new ArrayList<ConcurrentLinkedQueue<Long>>();
    for (int key = 0; key < 4; key++) {
      releases.add(new ConcurrentLinkedQueue<>());
    }
    Race.lasting(
        Duration.ofMillis(1_500),
        random -> {
          int key = random.nextInt(4);
          Permit permit =
              random.nextBoolean()
                  ? limiter.acquire(key)
                  : limiter.acquireAsync(key).get(20, java.util.concurrent.TimeUnit.SECONDS);
          releases.get(key).add(permit.releasedAt());
          if (random.nextInt(10) == 0) {
            Thread.sleep(random.nextInt(25)); // so that keys come to rest and are dropped
          }
        });
    for (ConcurrentLinkedQueue<Long> ofKey : releases) {
      var audit = Audit.of(limit);
      ofKey.stream().sorted().forEach(audit::add);
      assertTrue(audit.report().kept(), () -> audit.report().text());
    }
    Crew.await("all keys are dropped", () -> limiter.size() == 0);
  }

  @Test
  void twoWhoBringTheLastNewKeyTogetherBothGetIt() throws Exception {
    for (int round = 0; round < 10_000; round++) {
      try (KeyedLimiter<Integer> limiter = KeyedLimiter.builder("2/1h").maxKeys(1).build()) {
        CompletableFuture<Boolean> other =
            CompletableFuture.supplyAsync(() -> limiter.tryAcquire(7).isPresent());
        assertTrue(limiter.tryAcquire(7).isPresent());
        assertTrue(other.get(20, java.util.concurrent.TimeUnit.SECONDS));
        assertEquals(1, limiter.size());
      }
    }
  }

  @Test
  void aHundredThousandKeysWithAWaiterNeedOneTimerThread() throws Exception {
    int keys = 100_000;
    KeyedLimiter<Integer> limiter = KeyedLimiter.of("1/500ms");
    var done = new CountDownLatch(keys);
    long began = System.nanoTime();
    var early = new ConcurrentLinkedQueue<Duration>();
    for (int key = 0; key < keys; key++) {
      assertTrue(limiter.tryAcquire(key).isPresent());
      long asked = System.nanoTime();
      CompletableFuture<Permit> place = limiter.acquireAsync(key);
      var unused =
          place.thenAccept(
              permit -> {
                if (System.nanoTime() - began < 500_000_000) {
                  early.add(Duration.ofNanos(System.nanoTime() - asked));
                }
                done.countDown();
              });
    }
    assertEquals(1, timerThreads());
    assertTrue(done.await(60, java.util.concurrent.TimeUnit.SECONDS));
    assertEquals(List.of(), List.copyOf(early));
    assertEquals(0, limiter.all().snapshot().waiting());
    Crew.await("all keys are dropped", () -> limiter.size() == 0);
  }

  private static long timerThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("pacegate-timer"))
        .count();
  }

  /** The alarm of a key looks in vain while the last permit of it is on the way back. */
  @SuppressWarnings("ThreadPriorityCheck") // it hands over the processor, it promises nothing
  @Test
  void aKeyIsDroppedThoughItsLastPermitEndsWhileItsAlarmLooks() {
    var time = ManualTime.manual();
    Limiter all = Limiter.builder("unlimited").time(time).executor(Runnable::run).build();
    KeyedLimiter<String> limiter = KeyedLimiter.builder("peer(2/1s)").within(all).build();
    for (int round = 0; round < 10_000; round++) {
      limiter.tryAcquire("a").orElseThrow().answered();
      Permit last = limiter.tryAcquire("a").orElseThrow();
      var ready = new CountDownLatch(1);
      Thread ends =
          Crew.start(
              "ends",
              () -> {
                ready.countDown();
                last.answered();
              });
      while (ready.getCount() > 0) {
        Thread.yield(); // spins, but lets the other run where there is no third processor
      }
      time.advance(Duration.ofSeconds(2));
      Crew.join(ends);
      time.advance(Duration.ofSeconds(2));
      assertEquals(0, limiter.size(), "in round " + round);
    }
  }
}
