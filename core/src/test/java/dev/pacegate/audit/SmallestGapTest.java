package dev.pacegate.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Promise;
import org.junit.jupiter.api.Test;

class SmallestGapTest {

  private static final long GAP = 100;

  @Test
  void findsWhatComparingAllPairsFinds() {
    Log.forMany(3000, GAP, (log, name) -> checkAgainstModel(log, false, name));
    Log.forMany(3000, GAP, (log, name) -> checkAgainstModel(log, true, name));
  }

  private static void checkAgainstModel(Log log, boolean whole, String name) {
    long smallest = Long.MAX_VALUE;
    for (int i = 0; i < log.requests().size(); i++) {
      for (int j = i + 1; j < log.requests().size(); j++) {
        var earlier = log.requests().get(i);
        long gap = log.requests().get(j).start() - (whole ? earlier.end() : earlier.start());
        smallest = Math.min(smallest, gap);
      }
    }
    for (long origin : Log.ORIGINS) {
      Verdict verdict = log.audit(new Promise.Gap(GAP, whole), origin);
      assertEquals(smallest, verdict.measured(), name);
      assertEquals(smallest >= GAP, verdict.kept(), name);
      assertEquals(log.requests().size() < 2, verdict.where().isEmpty(), name);
      if (!verdict.where().isEmpty()) {
        assertEquals(smallest, verdict.where().nanos(), name);
        checkIsThere(log, whole, verdict.where(), origin, name);
      }
    }
  }

  private static void checkIsThere(Log log, boolean whole, Stretch w, long origin, String name) {
    var requests = log.requests();
    assertTrue(requests.stream().anyMatch(r -> r.start() + origin == w.to()), name);
    assertTrue(
        requests.stream().anyMatch(r -> (whole ? r.end() : r.start()) + origin == w.from()), name);
  }

  @Test
  void tellsWhichTwoWereTooClose() {
    assertEquals(
        "broken: starts at least 100ms apart\n  smallest gap: 95ms, from 200 ms to 295 ms\n  limit that fits:"
            + " starts at least 95ms apart",
        Story.under("spacing(100ms)").at(0, 100, 200, 295, 395, 490).text());
    assertEquals(
        "kept: starts at least 100ms apart\n  smallest gap: 100ms, from 0 ms to 100 ms\n  limit that fits:"
            + " starts at least 100ms apart",
        Story.under("spacing(100ms)").at(0, 100, 200).text());
  }

  @Test
  void measuresWholeRequestsFromTheirEnds() {
    String promise = ": at least 100ms from an end to the next start\n  smallest gap: ";
    assertEquals(
        "kept"
            + promise
            + "100ms, from 30 ms to 130 ms\n  limit that fits: at least 100ms from an end to the next start",
        Story.under("peer(spacing(100ms))").open(0, 30).open(130, 500).open(600, 600).text());
    assertEquals(
        "broken"
            + promise
            + "-490ms, from 500 ms to 10 ms\n  limit that fits: requests overlap by at most 490ms",
        Story.under("peer(spacing(100ms))").open(0, 500).open(10, 20).open(550, 551).text());
  }

  @Test
  void hasNothingToSayOfASingleStart() {
    assertEquals("kept: starts at least 100ms apart", Story.under("spacing(100ms)").at(7).text());
  }

  @Test
  void takesSeveralCallsInOneForCallsWithoutAGap() {
    var audit = Audit.of(Limits.parse("spacing(100ms)"));
    audit.add(5, Cost.ONE.plus(Cost.ONE));
    assertEquals(new Stretch(2, 5, 5), audit.verdict().where());
    audit.add(5, Cost.none());
    assertEquals(0, audit.verdict().measured());
  }
}
