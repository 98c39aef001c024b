package dev.pacegate.engine;

import dev.pacegate.engine.report.OnceAMinute;
import dev.pacegate.engine.report.Reporter;
import dev.pacegate.engine.visit.Visit;
import dev.pacegate.limit.Cost;

/**
 * Reports permits that stay open. The listener gets each; the log gets at most one line a minute
 * for each kind, which states how many permits it stands for. Guarded by the gate.
 */
final class LeakLog {

  /** The pending line of one kind. */
  private static final class Line {

    private final OnceAMinute pace = new OnceAMinute();
    private long count;
    private long dropped;
    private long oldest;

    void add(long open, boolean wasDropped) {
      count++;
      dropped += wasDropped ? 1 : 0;
      oldest = Math.max(oldest, open);
    }

    boolean passes(long now) {
      return count > 0 && pace.passes(now);
    }

    void clear() {
      count = 0;
      dropped = 0;
      oldest = 0;
    }
  }

  private final Reporter reporter;
  private final Line overdue = new Line();
  private final Line lost = new Line();

  LeakLog(Reporter reporter) {
    this.reporter = reporter;
  }

  void overdue(OpenEntry permit, Visit visit) {
    long age = visit.now - permit.startedAt;
    overdue.add(age, false);
    if (reporter.listens()) {
      Cost cost = permit.cost;
      visit.add(() -> reporter.tell(listener -> listener.onOverdue(cost, age)));
    }
  }

  /**
   * @param dropped whether the program no longer referred to it
   */
  void lost(OpenEntry permit, boolean dropped, Visit visit) {
    long age = visit.now - permit.startedAt;
    Cost cost = permit.cost;
    lost.add(age, dropped);
    visit.add(() -> reporter.recordLost(cost, age, true));
    if (reporter.listens()) {
      visit.add(() -> reporter.tell(listener -> listener.onAbandon(cost, age)));
    }
  }

  /** Adds the lines that are due to the visit's actions. */
  void write(Visit visit) {
    if (overdue.passes(visit.now)) {
      long count = overdue.count;
      long oldest = overdue.oldest;
      visit.add(() -> reporter.logOverdue(count, oldest));
      overdue.clear();
    }
    if (lost.passes(visit.now)) {
      long count = lost.count;
      long dropped = lost.dropped;
      long oldest = lost.oldest;
      visit.add(() -> reporter.logLost(count, dropped, oldest));
      lost.clear();
    }
  }
}
