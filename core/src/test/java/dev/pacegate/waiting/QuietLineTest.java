package dev.pacegate.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.Permit;
import dev.pacegate.WaitTooLongException;
import dev.pacegate.time.ManualTime;
import dev.pacegate.waiting.Crew.Kind;
import dev.pacegate.waiting.Crew.Place;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two wait, one thing happens, and then nothing: no caller comes by whose visit would put right
 * what that one thing left undone. A busy test does not see a lost wake-up, this one does.
 */
@ParameterizedClass
@MethodSource("pairs")
class QuietLineTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final Kind headKind;
  private final Kind nextKind;
  private final ManualTime time = ManualTime.manual();

  QuietLineTest(Kind headKind, Kind nextKind) {
    this.headKind = headKind;
    this.nextKind = nextKind;
  }

  static List<Arguments> pairs() {
    var pairs = new ArrayList<Arguments>();
    for (Kind head : Kind.values()) {
      for (Kind next : Kind.values()) {
        pairs.add(Arguments.of(head, next));
      }
    }
    return pairs;
  }

  // ---- the head gives up

  @Test
  void aSmallWaiterGoesWhenALargeHeadGivesUp() {
    Limiter limiter = limiter("2/1s");
    Crew.spend(limiter);
    Place head = ask(headKind, limiter, 2, 1);
    Place next = ask(nextKind, limiter, 1, 2);

    head.giveUp();

    assertEquals(0, next.permit().releasedAt());
    assertEmpty(limiter);
  }

  @Test
  void theNextWaiterWatchesTheClockWhenTheHeadGivesUp() {
    Limiter limiter = limiter("1/1s");
    Crew.spend(limiter);
    Place head = ask(headKind, limiter, 1, 1);
    Place next = ask(nextKind, limiter, 1, 2);

    head.giveUp();
    head.failure();
    time.advance(SECOND);

    assertEquals(SECOND.toNanos(), next.permit().releasedAt());
    assertEmpty(limiter);
  }

  @Test
  void theNextWaiterSeesAnEndAfterTheHeadGaveUp() {
    Limiter limiter = limiter("concurrent(1)");
    Permit held = Crew.spend(limiter);
    Place head = ask(headKind, limiter, 1, 1);
    Place next = ask(nextKind, limiter, 1, 2);

    head.giveUp();
    head.failure();
    held.answered();

    next.permit().answered();
    assertEmpty(limiter);
  }

  @Test
  void theHeadGoesWhenTheNextGivesUp() {
    Limiter limiter = limiter("1/1s");
    Crew.spend(limiter);
    Place head = ask(headKind, limiter, 1, 1);
    Place next = ask(nextKind, limiter, 1, 2);

    next.giveUp();
    next.failure();
    time.advance(SECOND);

    assertEquals(SECOND.toNanos(), head.permit().releasedAt());
    assertEmpty(limiter);
  }

  // ---- the head is out of time

  @Test
  void aSmallWaiterGoesWhenALargeHeadIsOutOfTime() {
    Limiter limiter = limiter("2/1s");
    Crew.spend(limiter);
    Place head = headKind.ask(limiter, 2, SECOND);
    Crew.awaitWaiting(limiter, 1);
    Place next = ask(nextKind, limiter, 1, 2);
    limiter.setLimit("2/10s");
    assertFalse(next.result().isDone());

    time.advance(SECOND);

    assertInstanceOf(WaitTooLongException.class, head.failure());
    assertEquals(SECOND.toNanos(), next.permit().releasedAt());
    assertEmpty(limiter);
  }

  @Test
  void theNextWaiterWatchesTheClockWhenTheHeadIsOutOfTime() {
    Limiter limiter = limiter("1/1s");
    Crew.spend(limiter);
    Place head = headKind.ask(limiter, 1, SECOND);
    Crew.awaitWaiting(limiter, 1);
    Place next = ask(nextKind, limiter, 1, 2);
    limiter.setLimit("1/10s");

    time.advance(SECOND);
    assertInstanceOf(WaitTooLongException.class, head.failure());
    time.advance(SECOND.multipliedBy(9));

    assertEquals(SECOND.toNanos() * 10, next.permit().releasedAt());
    assertEmpty(limiter);
  }

  // ---- a permit ends

  @Test
  void onePermitGoesFromHandToHand() {
    Limiter limiter = limiter("concurrent(1)");
    Permit held = Crew.spend(limiter);
    Place head = ask(headKind, limiter, 1, 1);
    Place next = ask(nextKind, limiter, 1, 2);

    held.answered();
    Permit handed = head.permit();
    assertFalse(next.result().isDone());
    handed.answered();

    next.permit().answered();
    assertEmpty(limiter);
  }

  @Test
  void aWaitForAnEndBecomesAWaitForTime() {
    Limiter limiter = limiter("peer(1/1s, margin=0s)");
    Permit held = Crew.spend(limiter);
    Place head = ask(headKind, limiter, 1, 1);
    Place next = ask(nextKind, limiter, 1, 2);

    time.advance(SECOND);
    held.answered();
    time.advance(SECOND);
    Permit handed = head.permit();
    assertEquals(2 * SECOND.toNanos(), handed.releasedAt());
    handed.notSent();

    assertEquals(2 * SECOND.toNanos(), next.permit().releasedAt());
    assertEquals(0, limiter.snapshot().waiting());
  }

  // ---- steering

  @Test
  void aRaisedLimitLetsBothGo() {
    Limiter limiter = limiter("1/1s");
    Crew.spend(limiter);
    Place head = ask(headKind, limiter, 1, 1);
    Place next = ask(nextKind, limiter, 1, 2);

    limiter.setLimit("3/1s");

    assertEquals(0, head.permit().releasedAt());
    assertEquals(0, next.permit().releasedAt());
    assertEmpty(limiter);
  }

  @Test
  void aFasterLimitIsWaitedForAnew() {
    Limiter limiter = limiter("bucket(1/1h)");
    Crew.spend(limiter);
    Place head = ask(headKind, limiter, 1, 1);
    Place next = ask(nextKind, limiter, 1, 2);

    limiter.setLimit("bucket(1/1s)");
    time.advance(SECOND);
    assertEquals(SECOND.toNanos(), head.permit().releasedAt());
    time.advance(SECOND);

    assertEquals(2 * SECOND.toNanos(), next.permit().releasedAt());
    assertEmpty(limiter);
  }

  @Test
  void aLimitThatForbidsTheHeadLetsTheNextGo() {
    Limiter limiter = limiter("2/1s");
    Crew.spend(limiter);
    Place head = ask(headKind, limiter, 2, 1);
    Place next = ask(nextKind, limiter, 1, 2);

    limiter.setLimit("1/1s");
    assertInstanceOf(CostTooLargeException.class, head.failure());
    time.advance(SECOND);

    assertEquals(SECOND.toNanos(), next.permit().releasedAt());
    assertEmpty(limiter);
  }

  @Test
  void resumingLetsBothGo() {
    Limiter limiter = limiter("2/1s");
    limiter.pause();
    Place head = ask(headKind, limiter, 1, 1);
    Place next = ask(nextKind, limiter, 1, 2);

    limiter.resume();

    assertEquals(0, head.permit().releasedAt());
    assertEquals(0, next.permit().releasedAt());
    assertEmpty(limiter);
  }

  @Test
  void aPauseRunsOut() {
    Limiter limiter = limiter("2/1s");
    limiter.pauseFor(SECOND);
    Place head = ask(headKind, limiter, 1, 1);
    Place next = ask(nextKind, limiter, 1, 2);

    time.advance(SECOND);

    assertEquals(SECOND.toNanos(), head.permit().releasedAt());
    assertEquals(SECOND.toNanos(), next.permit().releasedAt());
    assertEmpty(limiter);
  }

  @Test
  void onlyObservingLetsBothGo() {
    Limiter limiter = limiter("1/1s");
    Crew.spend(limiter);
    Place head = ask(headKind, limiter, 1, 1);
    Place next = ask(nextKind, limiter, 1, 2);

    limiter.dryRun(true);

    assertEquals(0, head.permit().releasedAt());
    assertEquals(0, next.permit().releasedAt());
    assertEmpty(limiter);
  }

  @Test
  void closingTurnsBothAway() {
    Limiter limiter = limiter("1/1s");
    Crew.spend(limiter);
    Place head = ask(headKind, limiter, 1, 1);
    Place next = ask(nextKind, limiter, 1, 2);

    limiter.close();

    assertInstanceOf(LimiterClosedException.class, head.failure());
    assertInstanceOf(LimiterClosedException.class, next.failure());
    assertEmpty(limiter);
  }

  // ----

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).stamped(true).build();
  }

  /** Asks, and waits until this is the so-and-so-manyeth in the queue. */
  private static Place ask(Kind kind, Limiter limiter, long cost, int place) {
    Place asked = kind.ask(limiter, cost, Duration.ofDays(1));
    Crew.awaitWaiting(limiter, place);
    return asked;
  }

  private static void assertEmpty(Limiter limiter) {
    assertEquals(0, limiter.snapshot().waiting());
  }
}
