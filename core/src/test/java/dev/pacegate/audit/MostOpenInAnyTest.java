package dev.pacegate.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;
import org.junit.jupiter.api.Test;

class MostOpenInAnyTest {

  private static final long INTERVAL = 100;

  @Test
  void findsWhatCountingEveryIntervalFinds() {
    Log.forMany(3000, INTERVAL, MostOpenInAnyTest::checkAgainstModel);
  }

  private static void checkAgainstModel(Log log, String name) {
    long most = 0;
    for (var request : log.counted()) {
      most = Math.max(most, count(log, request.end()));
      most = Math.max(most, count(log, request.start()));
      most = Math.max(most, count(log, request.start() - INTERVAL + 1));
    }
    for (long origin : Log.ORIGINS) {
      Verdict verdict = log.audit(promise(17, true), origin);
      assertEquals(most, verdict.measured(), name);
      assertEquals(most <= 17, verdict.kept(), name);
      Stretch where = verdict.where();
      if (!where.isEmpty()) {
        assertEquals(most, where.counted(), name);
        assertEquals(most, count(log, where.from() - origin), name);
        assertTrue(where.nanos() >= 0 && where.nanos() < INTERVAL, name);
      }
    }
  }

  /** What was open at some moment of the interval that begins at {@code from}. */
  private static long count(Log log, long from) {
    return log.requests().stream()
        .filter(r -> r.start() < from + INTERVAL && r.end() >= from)
        .mapToLong(Log.Request::cost)
        .sum();
  }

  private static Promise.AtMost promise(long max, boolean whole) {
    return new Promise.AtMost(max, INTERVAL, Measure.PLAIN, whole);
  }

  @Test
  void isTheMostThatStartedIfThereAreNoEnds() {
    Log.forMany(
        3000,
        INTERVAL,
        (log, name) -> {
          Verdict starts = log.withoutEnds().audit(promise(17, false), 0);
          Verdict whole = log.withoutEnds().audit(promise(17, true), 0);
          assertEquals(starts.where(), whole.where(), name);
          assertEquals(starts.kept(), whole.kept(), name);
        });
  }

  /** Two requests, a second apart as they start, half a second apart as the peer may count them. */
  @Test
  void countsARequestUntilAnIntervalAfterItsEnd() {
    String held = " in any 1s, counted by the peer at any time between start and end";
    String found = ": at most 1" + held + "\n  most: ";
    assertEquals(
        "broken"
            + found
            + "2 within 500ms, from 500 ms to 1000 ms\n  limit that fits: at most 2"
            + held,
        Story.under("peer(1/1s)").open(0, 500).open(1000, 1500).text());
    assertEquals(
        "kept" + found + "1, at 0 ms\n  limit that fits: at most 1" + held,
        Story.under("peer(1/1s)").open(0, 500).open(1500, 2000).text());
  }

  @Test
  void forgetsNothingThatIsStillOpen() {
    Verdict verdict =
        Story.under("peer(2/1s)").open(0, 90_000).open(5, 6).open(60_000, 61_000).verdict();
    assertTrue(verdict.kept());
    assertEquals(2, verdict.measured());
  }
}
