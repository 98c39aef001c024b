package dev.pacegate.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Time;
import dev.pacegate.waiting.Crew.Kind;
import dev.pacegate.waiting.Crew.Place;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Waiters rest: no thread goes round in circles until something happens. */
class RestTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualTime manual = ManualTime.manual();
  private final AtomicInteger looks = new AtomicInteger();
  private final Time time =
      new Time() {
        @Override
        public long nanoTime() {
          looks.incrementAndGet();
          return manual.nanoTime();
        }

        @Override
        public Scheduled at(long instant, Runnable task) {
          return manual.at(instant, task);
        }
      };

  /** It had watched the clock, and forgets about it when the one before it is called back. */
  @Test
  void aWaiterThatNoLongerWatchesDoesNotLookAtTheClock() throws InterruptedException {
    var tasks = new ArrayDeque<Runnable>();
    Limiter limiter =
        Limiter.builder("bucket(1/1s, burst=2)").time(time).executor(tasks::add).build();
    Crew.spend(limiter);
    Crew.spend(limiter);
    CompletableFuture<Permit> called = limiter.acquireAsync();
    Place watch = Kind.THREAD.ask(limiter, 1, Duration.ofDays(1));
    Crew.awaitWaiting(limiter, 2);
    manual.advance(SECOND);
    assertEquals(1, tasks.size()); // the thread that completes it is late
    limiter.pause();
    manual.advance(SECOND);
    assertRest();

    limiter.resume();
    tasks.forEach(Runnable::run);
    assertTrue(called.isDone());
    watch.permit();
  }

  /** Real time: circles are made in it. */
  private void assertRest() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(20); // so that who was woken by what went before is at rest again
    int before = looks.get();
    TimeUnit.MILLISECONDS.sleep(50); // so that circles can be seen
    int after = looks.get();
    assertTrue(after - before < 10, () -> (after - before) + " looks at the clock in 50 ms");
  }
}
