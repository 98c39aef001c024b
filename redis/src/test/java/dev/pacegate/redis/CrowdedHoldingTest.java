package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Outcome;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

/** A process of many: when it reports, and how much it asks for. */
class CrowdedHoldingTest {

  private static final long MILLI = 1_000_000;

  private final Terms terms = Terms.of(Limits.parse("peer(100/1s, unanswered=1s)"), null);
  private final long use = terms.use() * 1000;
  private final Holding holding = new Holding(terms.terms().get(0), 0);
  private long now = -7;

  private void lease(long units) {
    holding.add(new Lease("lease" + now, units, now, now + use, now));
  }

  private void start(long units) {
    holding.start(now, now, units, use, null);
  }

  private void pass(long nanos) {
    now += nanos;
  }

  private void report() {
    holding.report(now, new ArrayList<>());
  }

  @Test
  void reportsWaitButThoseOfOpenRequestsDoNot() {
    lease(2);
    start(1);
    long unusedAt = now + use;
    long openAt = now + terms.terms().get(0).spentFor() * 1000 / 4;
    assertEquals(unusedAt, holding.reportAt(terms, null));
    assertEquals(unusedAt, holding.reportAt(terms, unusedAt - MILLI), "it is late enough");
    assertEquals(unusedAt + MILLI, holding.reportAt(terms, unusedAt + MILLI));
    assertEquals(openAt, holding.reportAt(terms, openAt + MILLI));
    holding.end(now, now, 1, Outcome.ANSWERED, null);
    assertEquals(openAt + MILLI, holding.reportAt(terms, openAt + MILLI));
  }

  @Test
  void itAsksForTwiceWhatItUsedLastIfThatWasAll() {
    lease(3);
    start(3);
    assertEquals(3, holding.recently(now, use, false));
    pass(20 * use);
    assertEquals(0, holding.recently(now, use, false));
    assertEquals(6, holding.recently(now, use, true));
    lease(6);
    start(4);
    pass(2 * use);
    report();
    assertEquals(4, holding.recently(now, use, true), "two were not used");
    lease(4);
    start(4);
    pass(2 * use);
    report();
    assertEquals(8, holding.recently(now, use, true));
  }
}
