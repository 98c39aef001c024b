package dev.pacegate.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.PlainMeter;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Time;
import dev.pacegate.waiting.Crew.Kind;
import dev.pacegate.waiting.Crew.Place;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** An error that comes between two steps harms the request it hits, and no other. */
class MishapTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualTime manual = ManualTime.manual();
  private final AtomicInteger sound = new AtomicInteger(Integer.MAX_VALUE);

  /** A timer that has no memory left for appointments, for a while. */
  private final Time time =
      new Time() {
        @Override
        public long nanoTime() {
          return manual.nanoTime();
        }

        @Override
        public Scheduled at(long instant, Runnable task) {
          if (sound.getAndDecrement() <= 0) {
            throw new OutOfMemoryError("thrown by a test");
          }
          return manual.at(instant, task);
        }
      };

  private final Limiter limiter = Limiter.builder("1/1s").time(time).stamped(true).build();

  @Test
  void aThreadThatCannotParkLeavesTheLine() {
    Crew.spend(limiter);
    sound.set(0);
    assertInstanceOf(OutOfMemoryError.class, Kind.THREAD.ask(limiter, 1).failure());
    Crew.awaitWaiting(limiter, 0);
    sound.set(Integer.MAX_VALUE);

    Place next = Kind.THREAD.ask(limiter, 1);
    Crew.awaitWaiting(limiter, 1);
    manual.advance(SECOND);
    assertEquals(SECOND.toNanos(), next.permit().releasedAt());
  }

  @Test
  void aThreadThatCannotParkIsNotInTheWayOfOthers() {
    Crew.spend(limiter);
    sound.set(1); // the first parks, wakes, and cannot park again
    Place first = Kind.THREAD.ask(limiter, 1);
    Crew.await("an appointment", () -> manual.pending() > 0);
    CompletableFuture<Permit> second = limiter.acquireAsync();
    limiter.pauseFor(SECOND.multipliedBy(2));
    assertInstanceOf(OutOfMemoryError.class, first.failure());
    Crew.awaitWaiting(limiter, 1);
    sound.set(Integer.MAX_VALUE);
    limiter.resume();
    manual.advance(SECOND);
    assertEquals(SECOND.toNanos(), second.join().releasedAt());
  }

  /** The alarm of a future could not be set; the next caller sees to it. */
  @Test
  void aLostAlarmIsSetAgainByTheNextWhoComes() {
    Crew.spend(limiter);
    sound.set(0);
    CompletableFuture<Permit> future = limiter.acquireAsync();
    sound.set(Integer.MAX_VALUE);
    assertEquals(2 * SECOND.toNanos(), limiter.estimateWait(1).toNanos());
    manual.advance(SECOND);
    assertEquals(SECOND.toNanos(), future.join().releasedAt());
  }

  /** A meter of the program fails in the gate. */
  @Test
  void aLimitThatFailsIsNotPutInForce() {
    var tasks = new ArrayDeque<Runnable>();
    Limiter limiter = Limiter.builder("1/1s").time(time).executor(tasks::add).build();
    Crew.spend(limiter);
    CompletableFuture<Permit> future = limiter.acquireAsync(1);
    Limit failing =
        new Limit() {
          @Override
          public Meter newMeter(long now) {
            throw new IllegalStateException("thrown by a test");
          }

          @Override
          public List<Promise> promises() {
            return List.of();
          }
        };
    assertThrows(IllegalStateException.class, () -> limiter.setLimit(failing));
    manual.advance(SECOND);
    tasks.forEach(Runnable::run);
    assertEquals(SECOND.toNanos(), future.join().releasedAt());
    assertEquals("1/1s", limiter.limit().toString());
  }

  /** A limit of the program: makes so many meters, then fails once, then makes others. */
  private record Failing(Limit limit, AtomicInteger before) implements Limit {
    @Override
    public Meter newMeter(long now) {
      if (before.getAndDecrement() == 0) {
        throw new IllegalStateException("thrown by a test");
      }
      return limit.newMeter(now);
    }

    @Override
    public List<Promise> promises() {
      return limit.promises();
    }
  }

  /** A limit whose meter will not take over what is open. */
  private record Unwilling() implements Limit {
    @Override
    public Meter newMeter(long now) {
      return new PlainMeter() {
        @Override
        public long nanosUntil(long since, long at, Cost cost) {
          return 0;
        }

        @Override
        public long atLeast(long since, long at, Cost ahead, Cost cost) {
          return 0;
        }

        /** Already when it is told of the past. */
        @Override
        public void release(long since, long at, Cost cost) {
          throw new IllegalStateException("thrown by a test");
        }

        @Override
        public boolean tracks() {
          return true;
        }
      };
    }

    @Override
    public List<Promise> promises() {
      return List.of();
    }
  }

  @Test
  void norIsOneThatFailsToTakeOver() throws InterruptedException {
    Limiter limiter = Limiter.of("concurrent(2)");
    try (Permit open = limiter.acquire()) {
      assertThrows(IllegalStateException.class, () -> limiter.setLimit(new Unwilling()));
      assertEquals("concurrent(2)", limiter.limit().toString());
      assertEquals(1, limiter.snapshot().open());
      assertTrue(limiter.tryAcquire().isPresent());
      assertFalse(limiter.tryAcquire().isPresent());
    }
    assertTrue(limiter.tryAcquire().isPresent());
    assertFalse(limiter.tryAcquire().isPresent());
  }

  private KeyedLimiter<String> keyed(String perKey) {
    return KeyedLimiter.builder(perKey)
        .within(Limiter.builder("unlimited").time(time).executor(Runnable::run).build())
        .build();
  }

  @Test
  void aLimitPerKeyThatFailsIsPutInForceForNoKey() throws InterruptedException {
    KeyedLimiter<String> keys = keyed("concurrent(1)");
    Permit a = keys.acquire("a");
    Permit b = keys.acquire("b");
    var failing = new Failing(Limits.parse("concurrent(2)"), new AtomicInteger(2));
    assertThrows(IllegalStateException.class, () -> keys.setLimit(failing));
    assertEquals("concurrent(1)", keys.limit().toString());
    for (String key : List.of("a", "b")) {
      assertFalse(keys.tryAcquire(key).isPresent());
    }
    a.answered();
    b.answered();
    for (String key : List.of("a", "b")) {
      assertTrue(keys.tryAcquire(key).isPresent());
      assertFalse(keys.tryAcquire(key).isPresent());
    }
  }

  @Test
  void aLimitThatFailsForAnIdleKeyIsTriedAgain() throws InterruptedException {
    KeyedLimiter<String> keys = keyed("1/1m");
    assertTrue(keys.tryAcquire("a").isPresent());
    keys.setLimit(new Failing(Limits.parse("2/1m"), new AtomicInteger(1)));
    assertThrows(IllegalStateException.class, () -> keys.tryAcquire("a"));
    assertTrue(keys.tryAcquire("a").isPresent());
    assertFalse(keys.tryAcquire("a").isPresent());
  }
}
