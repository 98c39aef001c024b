package dev.pacegate.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterListener;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A thread that has joined the queue may, before it parks, run a listener or the callback of a
 * future, and these may end a permit: the visit that this makes calls the very thread that makes
 * it, which must then not park.
 */
@Timeout(30)
class NestedVisitTest {

  @Test
  void aListenerMayEndThePermitThatItsThreadWaitsFor() throws InterruptedException {
    ManualTime time = ManualTime.manual();
    var open = new ArrayList<Permit>();
    var listener =
        new LimiterListener() {
          @Override
          public void onOverdue(Cost cost, long nanos) {
            open.forEach(Permit::answered);
          }
        };
    Limiter limiter = Limiter.builder("concurrent(1)").time(time).listener(listener).build();
    open.add(limiter.acquire());
    time.advance(Duration.ofSeconds(11));
    limiter.snapshot(); // from here on it is held weakly, and its age looked at
    time.advance(Duration.ofSeconds(60));
    limiter.acquire().answered(); // whose visit tells the listener
    assertEquals(0, limiter.snapshot().open());
  }

  /** Real threads, as the order is what matters; the timer is late, as on a busy machine. */
  @Test
  void aCallbackMayEndThePermitThatItsThreadWaitsFor() throws InterruptedException {
    Limiter limiter =
        Limiter.builder("1/100ms & concurrent(1)")
            .time(new LateTime())
            .executor(Runnable::run)
            .build();
    limiter.acquire().answered();
    limiter.pause(); // however late the next line is
    CompletableFuture<Void> first = limiter.acquireAsync().thenAccept(Permit::answered);
    assertFalse(first.isDone());
    limiter.resume();
    Thread.sleep(120); // the future could go by now, and the timer has not rung
    limiter.acquire().answered(); // whose visit completes the future
    assertEquals(0, limiter.snapshot().open());
  }

  /** What parks in between takes the token by which a thread that has not parked yet is woken. */
  @Test
  void aListenerMayParkBeforeItsThreadDoes() throws InterruptedException {
    ManualTime time = ManualTime.manual();
    var limiters = new ArrayList<Limiter>();
    var listener =
        new LimiterListener() {
          @Override
          public void onStarvation(long lost, long of, Instant until) {
            limiters.get(0).setLimit("peer(5/1h)");
            LockSupport.parkNanos(1);
          }
        };
    Limiter limiter = Limiter.builder("peer(1/1h)").time(time).listener(listener).build();
    limiters.add(limiter);
    limiter.acquire().lost();
    limiter.acquire().answered(); // whose visit tells the listener that what is lost holds it up
    assertEquals(0, limiter.snapshot().open());
  }

  /** The system's, but its timer rings late. */
  private static final class LateTime implements Time {
    @Override
    public long nanoTime() {
      return System.nanoTime();
    }

    @Override
    public Instant instant() {
      return Instant.now();
    }

    @Override
    public Scheduled at(long instant, Runnable task) {
      return Time.system().at(instant + 60_000_000, task);
    }
  }
}
