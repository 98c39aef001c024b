package dev.pacegate.engine;

/**
 * Reports permits that stay open. The listener gets each; the log gets at most one line a minute
 * for each kind, which states how many permits it stands for. Guarded by the gate.
 */
final class LeakLog {

  private static final long MINUTE = 60_000_000_000L;

  /** The pending line of one kind. */
  private static final class Line {

    private long notBefore;
    private long count;
    private long dropped;
    private long oldest;

    void add(long open, boolean wasDropped) {
      count++;
      dropped += wasDropped ? 1 : 0;
      oldest = Math.max(oldest, open);
    }

    boolean isDue(long now) {
      return count > 0 && now >= notBefore;
    }

    void clear(long now) {
      notBefore = Clock.later(now, MINUTE);
      count = 0;
      dropped = 0;
      oldest = 0;
    }
  }

  private final StatsCounter stats;
  private final Line overdue = new Line();
  private final Line lost = new Line();

  LeakLog(StatsCounter stats) {
    this.stats = stats;
  }

  void overdue(OpenEntry permit, Visit visit) {
    overdue.add(visit.now - permit.startedAt, false);
    stats.tellOverdue(permit, visit);
  }

  /**
   * @param dropped whether the program no longer referred to it
   */
  void lost(OpenEntry permit, boolean dropped, Visit visit) {
    lost.add(visit.now - permit.startedAt, dropped);
    stats.tellAbandoned(permit, visit);
  }

  /** Adds the lines that are due to the visit's actions. */
  void write(Visit visit) {
    if (overdue.isDue(visit.now)) {
      stats.logOverdue(overdue.count, overdue.oldest, visit);
      overdue.clear(visit.now);
    }
    if (lost.isDue(visit.now)) {
      stats.logLost(lost.count, lost.dropped, lost.oldest, visit);
      lost.clear(visit.now);
    }
  }
}
