package dev.pacegate.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.spi.Meter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What counts as the peer counts, where chance rarely leads. */
class PeerMetersTest {

  private static final long SECOND = 1_000_000_000;

  private static long ask(Meter meter, long now) {
    return meter.nanosUntil(now, now, Cost.ONE);
  }

  /** Only observing lets such a cost through. */
  @ParameterizedTest
  @ValueSource(strings = {"peer(10/1s, margin=0s)", "peer(bucket(10/1s, burst=10), margin=0s)"})
  void anAbsurdCostDoesNotHideWhatElseIsOpen(String limit) {
    Meter meter = Limits.parse(limit).newMeter(0);
    Cost absurd = Cost.of(Long.MAX_VALUE);
    meter.release(0, 0, Cost.of(10));
    meter.release(0, 0, absurd);
    meter.release(0, 0, absurd);
    meter.end(0, 1, absurd, Outcome.NOT_SENT);
    meter.end(0, 1, absurd, Outcome.NOT_SENT);
    assertEquals(Meter.AT_EVENT, ask(meter, 10 * SECOND), "ten are open");
    meter.end(0, 10 * SECOND, Cost.of(10), Outcome.ANSWERED);
    assertTrue(ask(meter, 10 * SECOND) <= SECOND, "nothing is open");
  }

  @Test
  void aLostRequestCountsFromTheLatestPossibleInstant() {
    Meter meter = Limits.parse("peer(1/1s, unanswered=5s, margin=0s)").newMeter(0);
    meter.release(0, 0, Cost.ONE);
    assertEquals(Meter.AT_EVENT, ask(meter, SECOND));
    meter.end(0, 2 * SECOND, Cost.ONE, Outcome.LOST);
    assertEquals(4 * SECOND, ask(meter, 2 * SECOND));
    meter.release(0, 6 * SECOND, Cost.ONE);
    meter.end(6 * SECOND, 20 * SECOND, Cost.ONE, Outcome.LOST);
    assertEquals(SECOND, ask(meter, 20 * SECOND), "given up later than it could have been counted");
  }

  @Test
  void anUnsentRequestIsGivenBack() {
    for (String limit : new String[] {"peer(1/1s)", "peer(spacing(1s))"}) {
      Meter meter = Limits.parse(limit).newMeter(0);
      meter.release(0, 0, Cost.ONE);
      meter.end(0, 1, Cost.ONE, Outcome.NOT_SENT);
      assertEquals(0, ask(meter, 1));
    }
  }

  /** The bound takes what is lost for granted, but not as holding up everybody in the queue. */
  @Test
  void theForecastDoesNotOutwaitWhatIsLostForEveryoneInLine() {
    Meter meter = Limits.parse("peer(10/1s, unanswered=1m, margin=0s)").newMeter(0);
    meter.release(0, 0, Cost.ONE);
    meter.end(0, 0, Cost.ONE, Outcome.LOST);
    assertEquals(SECOND, meter.atLeast(0, 0, Cost.of(14), Cost.ONE));
    assertEquals(61 * SECOND, meter.atLeast(0, 0, Cost.none(), Cost.of(10)));
  }

  @Test
  void aBoundThatPassesTakesNothingBack() {
    Meter meter = Limits.parse("peer(bucket(10/1s, burst=5), counted=2s)").newMeter(0);
    long now = 10 * SECOND;
    meter.release(now, now, Cost.ONE);
    assertEquals(0, meter.nanosUntil(now, now + SECOND, Cost.of(4)));
    assertEquals(0, meter.nanosUntil(now, now + 2 * SECOND, Cost.of(4)));
  }

  /** The lost two are of the same instant as the three, which share their place. */
  @Test
  void threeAtOnceLeaveTheForecastOfThreeOnesBeforeWhatIsLost() {
    assertEquals(forecast(1), forecast(3));
  }

  private static long forecast(int together) {
    Meter meter = Limits.parse("peer(3/10ns, counted=25ns, margin=0s)").newMeter(0);
    meter.release(0, 0, Cost.of(3));
    meter.end(0, 0, Cost.ONE, Outcome.ANSWERED);
    meter.end(0, 0, Cost.of(2), Outcome.LOST);
    for (int i = 0; i < 3; i += together) {
      meter.release(0, 0, Cost.of(together));
    }
    for (int i = 0; i < 3; i += together) {
      meter.end(0, 1, Cost.of(together), Outcome.ANSWERED);
    }
    return meter.atLeast(1, 1, Cost.ONE, Cost.none());
  }
}
