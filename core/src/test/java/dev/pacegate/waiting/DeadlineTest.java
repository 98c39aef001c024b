package dev.pacegate.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.WaitTooLongException;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Time;
import dev.pacegate.waiting.Crew.Kind;
import dev.pacegate.waiting.Crew.Place;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * A waiter that is told that it may go in time must not depend on those before it being in time.
 */
class DeadlineTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualTime manual = ManualTime.manual();
  private final ArrayDeque<Runnable> late = new ArrayDeque<>();

  /** A clock whose timer is late, while threads wake in time. */
  private final Time time =
      new Time() {
        @Override
        public long nanoTime() {
          return manual.nanoTime();
        }

        @Override
        public Scheduled at(long instant, Runnable task) {
          return manual.at(instant, () -> late.add(task));
        }

        @Override
        public void parkUntil(Object blocker, long instant) {
          manual.parkUntil(blocker, instant);
        }
      };

  private final Limiter limiter = Limiter.builder("2/1s").time(time).stamped(true).build();

  @Test
  void goesAtTheDeadlineTogetherWithAHeadThatIsLate() {
    Crew.spend(limiter);
    Crew.spend(limiter);
    CompletableFuture<Permit> head = limiter.acquireAsync();
    Place next = Kind.THREAD.ask(limiter, 1, SECOND);
    Crew.awaitWaiting(limiter, 2);
    Crew.await("an appointment of both", () -> manual.pending() == 2);

    manual.advance(SECOND);

    assertEquals(SECOND.toNanos(), next.permit().releasedAt());
    assertEquals(SECOND.toNanos(), head.join().releasedAt());
  }

  @Test
  void leavesAtTheDeadlineIfOnlyTheHeadMayGo() {
    Crew.spend(limiter);
    manual.advance(SECOND.dividedBy(2));
    Crew.spend(limiter);
    CompletableFuture<Permit> head = limiter.acquireAsync();
    Place next = Kind.THREAD.ask(limiter, 1, SECOND);
    Crew.awaitWaiting(limiter, 2);
    Crew.await("an appointment of both", () -> manual.pending() == 2);
    limiter.setLimit("2/2s");

    manual.advance(SECOND);

    assertInstanceOf(WaitTooLongException.class, next.failure());
    manual.advance(SECOND);
    late.forEach(Runnable::run);
    assertEquals(SECOND.toNanos() * 5 / 2, head.join().releasedAt());
  }
}
