package dev.pacegate.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Another limit of all keys, while many wait. */
class KeyChangeWorkTest {

  private static final int FEW = 100;
  private static final int MANY = 5_000;
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualTime time = ManualTime.manual();
  private final List<CompletableFuture<Permit>> places = new ArrayList<>();

  private KeyedLimiter<Integer> waiting(String limit, int keys, Time clock) {
    places.clear();
    KeyedLimiter<Integer> keyed =
        KeyedLimiter.builder(limit).time(clock).executor(Runnable::run).build();
    for (int key = 0; key < keys; key++) {
      assertTrue(keyed.tryAcquire(key).isPresent());
      places.add(keyed.acquireAsync(key));
    }
    assertEquals(0, granted());
    return keyed;
  }

  private int granted() {
    return (int) places.stream().filter(CompletableFuture::isDone).count();
  }

  /** Notes how much was asked of lanes between readings: every visit begins with one. */
  private static final class Stays implements Time {
    private final Time time;
    private long touched = EngineWatch.touches();
    private long most;

    Stays(Time time) {
      this.time = time;
    }

    @Override
    public long nanoTime() {
      most = Math.max(most, EngineWatch.touches() - touched);
      touched = EngineWatch.touches();
      return time.nanoTime();
    }

    @Override
    public Scheduled at(long instant, Runnable task) {
      return time.at(instant, task);
    }

    @Override
    public Instant instant() {
      return time.instant();
    }

    long most() {
      nanoTime();
      return most;
    }
  }

  private long mostInAStay(int keys) {
    var stays = new Stays(time);
    try (KeyedLimiter<Integer> keyed = waiting("1/1h", keys, stays)) {
      stays.most();
      stays.most = 0;
      keyed.setLimit("1/2h");
      keyed.limiter(7).setLimit("1/3h");
      return stays.most();
    }
  }

  @Test
  void noStayInsideTheGateIsLongHoweverManyKeysWait() {
    long few = mostInAStay(FEW);
    long many = mostInAStay(MANY);
    assertTrue(many < 2 * few + 50, () -> few + " of " + FEW + ", " + many + " of " + MANY);
  }

  @Test
  void aLooserLimitLetsAllGoThatCanGoNow() {
    try (KeyedLimiter<Integer> keyed = waiting("1/1h", FEW, time)) {
      keyed.setLimit("2/1h");
      assertEquals(FEW, granted());
    }
  }

  @Test
  void aLooserLimitWakesAllInTime() {
    try (KeyedLimiter<Integer> keyed = waiting("1/1h", FEW, time)) {
      keyed.setLimit("1/1s");
      time.advanceNanos(SECOND.toNanos() - 1);
      assertEquals(0, granted());
      time.advanceNanos(1);
      assertEquals(FEW, granted());
    }
  }

  @Test
  void noneGoesByTheFormerLimit() {
    try (KeyedLimiter<Integer> keyed = waiting("1/1s", FEW, time)) {
      keyed.setLimit("1/2s");
      time.advance(SECOND);
      assertEquals(0, granted());
      time.advance(SECOND);
      assertEquals(FEW, granted());
    }
  }

  @Test
  void aGroupTellsTheKeysInIt() {
    KeyedLimiter<Integer> teams =
        KeyedLimiter.builder("1/1h").time(time).executor(Runnable::run).build();
    KeyedLimiter<Integer> users =
        KeyedLimiter.builder("unlimited").within(teams, (Integer user) -> user / 2).build();
    for (int user = 0; user < FEW; user++) {
      places.add(users.acquireAsync(user));
    }
    assertEquals(FEW / 2, granted());
    teams.setLimit("1/1s");
    time.advance(SECOND);
    assertEquals(FEW, granted());
    users.close();
    teams.close();
  }

  /** Its meter fails for one of the keys, and not the first. */
  @Test
  void aLimitThatFailsLaterIsTakenBack() {
    var failing =
        new Limit() {
          int meters = 60;

          @Override
          public Meter newMeter(long now) {
            if (--meters == 0) {
              throw new IllegalStateException("thrown by a test");
            }
            return Limits.parse("1/2s").newMeter(now);
          }

          @Override
          public List<Promise> promises() {
            return Limits.parse("1/2s").promises();
          }
        };
    try (KeyedLimiter<Integer> keyed = waiting("1/1s", FEW, time)) {
      assertThrows(IllegalStateException.class, () -> keyed.setLimit(failing));
      assertEquals("1/1s", keyed.limit().toString());
      assertFalse(failing.meters > 0);
      time.advance(SECOND.multipliedBy(2)); // a window that was longer for a while counts on
      assertEquals(FEW, granted());
    }
  }
}
