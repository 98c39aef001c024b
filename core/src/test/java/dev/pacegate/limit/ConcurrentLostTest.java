package dev.pacegate.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.spi.Meter;
import org.junit.jupiter.api.Test;

/** Requests that no caller waits for any more, while the peer may be at work on them. */
class ConcurrentLostTest {

  private static final long SECOND = 1_000_000_000;
  private static final long[] ORIGINS = {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE - 5};

  private static Meter meter(String limit, long origin) {
    return Limits.parse(limit).newMeter(origin);
  }

  private static void lose(Meter meter, long startedAt, long now) {
    meter.release(startedAt, startedAt, Cost.ONE);
    meter.end(startedAt, now, Cost.ONE, Outcome.LOST);
  }

  private static long ask(Meter meter, long now) {
    return meter.nanosUntil(now, now, Cost.ONE);
  }

  @Test
  void aPlaceIsFreeAtOnceUnlessStated() {
    Meter meter = meter("concurrent(1)", 0);
    lose(meter, 0, 5);
    assertEquals(0, ask(meter, 5));
  }

  @Test
  void aPlaceIsTakenUntilItMayBeOver() {
    for (long origin : ORIGINS) {
      Meter meter = meter("concurrent(2, unanswered=30s)", origin);
      lose(meter, origin, origin + 5 * SECOND);
      assertEquals(0, ask(meter, origin + 5 * SECOND));
      lose(meter, origin + 5 * SECOND, origin + 6 * SECOND);
      long now = origin + 7 * SECOND;
      assertEquals(23 * SECOND, ask(meter, now));
      assertEquals(23 * SECOND, meter.atLeast(now, now, Cost.none(), Cost.ONE));
      assertEquals(28 * SECOND, meter.nanosUntil(now, now, Cost.ONE.plus(Cost.ONE)));
      assertEquals(28 * SECOND, meter.restsIn(now));
      assertEquals(1, ask(meter, origin + 30 * SECOND - 1));
      assertEquals(0, ask(meter, origin + 30 * SECOND));
    }
  }

  @Test
  void aRequestGivenUpAfterUnansweredIsOver() {
    Meter meter = meter("concurrent(1, unanswered=30s)", 0);
    lose(meter, 0, 40 * SECOND);
    assertEquals(0, ask(meter, 40 * SECOND));
    assertEquals(0, meter.restsIn(40 * SECOND));
  }

  @Test
  void anOpenRequestHasToEndFirst() {
    Meter meter = meter("concurrent(2, unanswered=30s)", 0);
    lose(meter, 0, SECOND);
    meter.release(SECOND, SECOND, Cost.ONE);
    assertEquals(29 * SECOND, ask(meter, SECOND));
    assertEquals(Meter.AT_EVENT, meter.nanosUntil(SECOND, SECOND, Cost.ONE.plus(Cost.ONE)));
    meter.end(SECOND, SECOND, Cost.ONE, Outcome.ANSWERED);
    assertEquals(0, ask(meter, SECOND));
  }

  @Test
  void lostRequestsMoveAlongWhenTheLimitChanges() {
    Meter meter = meter("10/1s & concurrent(4, unanswered=30s)", 0);
    lose(meter, 0, SECOND);
    lose(meter, SECOND, SECOND);
    String before = "10/1s & concurrent(4, unanswered=30s)";
    Meter longer = Changes.change(before, meter, "concurrent(2, unanswered=1m)", 2 * SECOND);
    assertEquals(58 * SECOND, ask(longer, 2 * SECOND));
    Meter none =
        Changes.change("concurrent(2, unanswered=1m)", longer, "concurrent(2)", 2 * SECOND);
    assertEquals(0, ask(none, 2 * SECOND));
  }

  /** However many are lost: never sooner, and later by no more than a part in 512. */
  @Test
  void manyAreKeptInLittleMemory() {
    Meter meter = meter("concurrent(100000, unanswered=30s)", 7);
    for (int i = 0; i < 100_000; i++) {
      lose(meter, 7 + i * 100_000L, 7 + i * 100_000L);
    }
    long now = 7 + 100_000 * 100_000L;
    for (long calls : new long[] {1, 100, 50_000, 100_000}) {
      Cost cost = Cost.ONE;
      for (long have = 1; have < calls; have *= 2) {
        cost = cost.plus(cost);
      }
      while (cost.calls() > calls) {
        cost = cost.minus(Cost.ONE);
      }
      long exact = 7 + (calls - 1) * 100_000L + 30 * SECOND - now;
      long wait = meter.nanosUntil(now, now, cost);
      assertTrue(wait >= exact && wait <= exact + 30 * SECOND / 500, calls + ": " + wait);
    }
  }

  @Test
  void saysSo() {
    Limit limit = Limits.concurrent(4).unanswered(java.time.Duration.ofSeconds(30));
    assertEquals("concurrent(4, unanswered=30s)", limit.toString());
    assertEquals(30 * SECOND, limit.memory());
    assertEquals(
        "at most 4 open at any instant, a lost one until 30s after its start",
        limit.promises().get(0).text());
    assertEquals("concurrent(2, unanswered=30s)", limit.share(Portion.of(50)).toString());
  }
}
