package dev.pacegate.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.Limiter;
import dev.pacegate.engine.PlainPermit;
import dev.pacegate.time.ManualTime;
import dev.pacegate.waiting.Crew.Kind;
import dev.pacegate.waiting.Crew.Place;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** At 2/s, ten who wait and then do not go cost the next one nothing. */
class RefundTest {

  private static final int CROWD = 10;
  private static final Duration LONG = Duration.ofDays(1);
  private static final long HALF_SECOND = 500_000_000;

  private final ManualTime time = ManualTime.manual();
  private final Limiter limiter = Limiter.builder("bucket(2/1s)").time(time).stamped(true).build();

  @BeforeEach
  void spend() {
    Crew.spend(limiter);
  }

  @ParameterizedTest
  @EnumSource
  void interruptedOrCancelled(Kind kind) {
    List<Place> crowd = crowd(kind, LONG);
    leave(crowd, Place::giveUp);
  }

  @ParameterizedTest
  @EnumSource
  void outOfTime(Kind kind) {
    limiter.pauseFor(Duration.ofHours(1)); // else such short waits are refused at once
    List<Place> crowd = crowd(kind, Duration.ofHours(2));
    limiter.pauseFor(LONG);
    time.advance(Duration.ofHours(2));
    Crew.awaitWaiting(limiter, 0);
    limiter.resume();
    Crew.spend(limiter);
    leave(crowd, place -> {});
  }

  @Test
  void completedFromOutside() {
    leave(crowd(Kind.FUTURE, LONG), p -> p.result().complete(PlainPermit.SHARED));
  }

  @Test
  void failedFromOutside() {
    leave(
        crowd(Kind.FUTURE, LONG),
        p -> p.result().completeExceptionally(new IllegalStateException("from outside")));
  }

  @Test
  void outOfTheTimeOfTheFutureItself() {
    leave(crowd(Kind.FUTURE, LONG), p -> p.result().orTimeout(1, TimeUnit.MICROSECONDS));
  }

  @Test
  void completedOnTimeout() {
    leave(
        crowd(Kind.FUTURE, LONG),
        p -> p.result().completeOnTimeout(PlainPermit.SHARED, 1, TimeUnit.MICROSECONDS));
  }

  private List<Place> crowd(Kind kind, Duration maxWait) {
    var crowd = new ArrayList<Place>();
    for (int i = 0; i < CROWD; i++) {
      crowd.add(kind.ask(limiter, 1, maxWait));
      Crew.awaitWaiting(limiter, i + 1);
    }
    return crowd;
  }

  private void leave(List<Place> crowd, Consumer<Place> how) {
    crowd.forEach(how);
    Crew.awaitWaiting(limiter, 0);

    long now = time.nanoTime();
    assertEquals(HALF_SECOND, limiter.estimateWait(1).toNanos());
    Place next = Kind.THREAD.ask(limiter, 1, LONG);
    Crew.awaitWaiting(limiter, 1);
    time.advanceNanos(HALF_SECOND);
    assertEquals(now + HALF_SECOND, next.permit().releasedAt());
    assertEquals(CROWD, limiter.snapshot().cancelled());
  }
}
