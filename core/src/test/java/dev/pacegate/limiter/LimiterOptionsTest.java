package dev.pacegate.limiter;

import static java.time.Duration.ofSeconds;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterListener;
import dev.pacegate.Permit;
import dev.pacegate.PlainMeter;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Limiters with a listener, a clock or a limit of the test's own. */
class LimiterOptionsTest extends LimitersOnManualTime {

  @Test
  void aPollWithoutALimitReadsTheClockOnlyForAListener() {
    var reads = new AtomicInteger();
    Time counting =
        new Time() {
          @Override
          public long nanoTime() {
            reads.incrementAndGet();
            return time.nanoTime();
          }

          @Override
          public Scheduled at(long instant, Runnable task) {
            return time.at(instant, task);
          }
        };
    Limiter limiter = Limiter.builder("unlimited").time(counting).build();
    reads.set(0);
    assertNotNull(limiter.poll(Cost.ONE));
    assertEquals(0, reads.get());
    time.advance(ofSeconds(7));
    assertEquals(time.nanoTime(), released(limiter, Cost.of(2)));

    limiter.setLimit("1/1s");
    assertNotNull(limiter.poll(Cost.ONE));
    assertNull(limiter.poll(Cost.ONE));
    time.advance(ofSeconds(1));
    assertNotNull(limiter.poll(Cost.ONE));
    limiter.setLimit("unlimited");
    reads.set(0);
    assertNotNull(limiter.poll(Cost.ONE));
    assertEquals(1, reads.get()); // of the poll after a change: the limit after this one counts it

    var instants = new ArrayList<Long>();
    var listener =
        new LimiterListener() {
          @Override
          public void onRelease(Cost cost, long instant, long waited) {
            instants.add(instant);
          }
        };
    Limiter heard = Limiter.builder("unlimited").time(counting).listener(listener).build();
    time.advance(ofSeconds(1));
    assertNotNull(heard.poll(Cost.ONE));
    assertEquals(List.of(time.nanoTime()), instants);
    Limiter stamped = Limiter.builder("unlimited").time(counting).stamped(true).build();
    assertEquals(time.nanoTime(), released(stamped, Cost.ONE));
  }

  private static long released(Limiter limiter, Cost cost) {
    return requireNonNull(limiter.poll(cost)).releasedAt();
  }

  @Test
  void waitingMovesASelfAdvancingClock() throws InterruptedException {
    ManualTime self = ManualTime.selfAdvancing();
    Limiter limiter = Limiter.builder("1/1h").time(self).build();
    limiter.acquire().answered();
    Permit second = limiter.acquire(1);
    assertEquals(Duration.ofHours(1), Duration.ofNanos(self.nanoTime()));
    assertEquals(Duration.ofHours(1), second.waited());
    assertEquals(self.nanoTime(), second.releasedAt());
  }

  @Test
  void theListenerHearsOfEverythingOnceAndOutsideTheGate() {
    var heard = new ArrayList<String>();
    var box = new Limiter[1];
    var listener =
        new LimiterListener() {
          @Override
          public void onRelease(Cost cost, long instant, long waited) {
            heard.add("released " + cost + " at " + instant + " after " + waited);
            box[0].snapshot(); // may visit the gate
          }

          @Override
          public void onRefusal(Cost cost, long atLeast) {
            heard.add("refused " + cost + ", " + atLeast);
          }

          @Override
          public void onLeave(Cost cost, long waited) {
            heard.add("left " + cost + " after " + waited);
            throw new IllegalStateException("and fails");
          }
        };
    box[0] = Limiter.builder("1/1us").time(time).executor(Runnable::run).listener(listener).build();
    var unused = box[0].tryAcquire();
    var unusedRefused = box[0].tryAcquire();
    var waiting = box[0].acquireAsync();
    var leaving = box[0].acquireAsync();
    leaving.cancel(false);
    time.advanceNanos(1000);
    assertTrue(waiting.isDone());
    assertEquals(
        List.of(
            "released 1 at 0 after 0",
            "refused 1, 1000",
            "left 1 after 0",
            "released 1 at 1000 after 1000"),
        heard);
  }

  /** A bound of 0 is a lower bound of anything, so a meter may say so. */
  @Test
  void aCallerThatIsRefusedTheMomentItJoinsIsToldSo() {
    Limiter limiter = Limiter.builder(new NeverForTwo()).time(time).build();
    limiter.pause();
    assertThrows(
        CostTooLargeException.class,
        () -> assertTimeoutPreemptively(ofSeconds(10), () -> limiter.acquire(2)));
  }

  private record NeverForTwo() implements Limit {
    @Override
    public Meter newMeter(long now) {
      return new PlainMeter() {
        @Override
        public long nanosUntil(long since, long now, Cost cost) {
          return cost.amount() > 1 ? NEVER : 0;
        }

        @Override
        public long atLeast(long since, long now, Cost ahead, Cost cost) {
          return 0;
        }

        @Override
        public void release(long since, long now, Cost cost) {}
      };
    }

    @Override
    public List<Promise> promises() {
      return List.of();
    }
  }
}
