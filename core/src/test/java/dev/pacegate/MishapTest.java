package dev.pacegate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pacegate.Crew.Kind;
import dev.pacegate.Crew.Place;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Meter;
import dev.pacegate.limit.Promise;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** An error that comes between two steps harms whom it befalls, and nobody else. */
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
  void whoCannotParkLeavesTheLine() {
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
  void whoCannotParkIsNotInTheWayOfThoseBehind() {
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

  /** The alarm of a future could not be set; whoever comes next sees to it. */
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

  /** A meter of somebody else fails in the gate. */
  @Test
  void aLimitThatFailsIsNotPutInForce() {
    var tasks = new ArrayDeque<Runnable>();
    Limiter limiter = Limiter.builder("1/1s").time(time).executor(tasks::add).build();
    Crew.spend(limiter);
    CompletableFuture<Permit> future = limiter.acquireAsync();
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
}
