package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When a process tells the store of its requests, if nothing else makes it call. */
class HoldingTest {

  private static final int LENGTHS = 500;

  /**
   * The store takes a lease to be over a time after it was granted, or told to be in use. A request
   * that ends later than the lease then covers must be told before.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "peer(10/1m, unanswered=1s)",
        "peer(10/10m)",
        "peer(1/1h)",
        "peer(100/1s)",
        "peer(bucket(10/1m, burst=100), unanswered=1s)"
      })
  void anEndIsToldBeforeTheStoreTakesTheLeaseToBeOver(String limit) {
    var terms = Terms.of(Limits.parse(limit), null);
    long spent = terms.terms().get(0).spentFor() * 1000;
    for (int i = 0; i < LENGTHS; i++) {
      long length = 2 * spent * i / LENGTHS;
      var untold = new LongRequest(terms, length);
      assertTrue(
          untold.isCovered() || untold.isToldInTime(null),
          () -> limit + ", a request of " + length / 1_000_000 + " ms");
      long quietUntil = untold.ended + 10 * spent; // in a crowd
      assertTrue(
          untold.isCovered() || untold.isToldInTime(quietUntil),
          () -> limit + ", a request of " + length / 1_000_000 + " ms in a crowd");
    }
  }

  /** A request that begins just before its lease expires, and has ended. */
  private static final class LongRequest {
    private final Terms terms;
    private final Term term;
    private final Holding holding;
    private final long ended;
    private long over; // for the store

    LongRequest(Terms terms, long length) {
      this.terms = terms;
      term = terms.terms().get(0);
      holding = new Holding(term, 0);
      long use = terms.use() * 1000;
      long spent = term.spentFor() * 1000;
      holding.add(new Lease("lease", 1, 0, use, 0));
      over = use + spent;
      long started = use - 1;
      ended = started + length;
      holding.start(started, started, 1, use, null);
      for (Long due = due(null); due != null && due <= ended; due = due(null)) {
        if (isToldOpen(due)) {
          over = due + spent;
        }
      }
      holding.end(started, ended, 1, Outcome.ANSWERED, null);
    }

    private @Nullable Long due(@Nullable Long quietUntil) {
      return holding.reportAt(terms, quietUntil);
    }

    private boolean isToldOpen(long now) {
      List<Report> reports = new ArrayList<>();
      holding.report(now, reports);
      holding.acknowledge(reports);
      return reports.stream().anyMatch(report -> report.kind() == Report.Kind.OPEN);
    }

    /** Returns whether the store knows enough without being told. */
    boolean isCovered() {
      return over - ended >= (term.spentFor() - term.unanswered()) * 1000;
    }

    boolean isToldInTime(@Nullable Long quietUntil) {
      Long due = due(quietUntil);
      return due != null && due <= over - term.spentFor() * 1000 / 8;
    }
  }
}
