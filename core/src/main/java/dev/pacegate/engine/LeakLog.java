package dev.pacegate.engine;

/**
 * What is told of permits that stay open. The listener hears of each; of either kind there is a
 * line in the log a minute at most, which says how many it stands for. Guarded by the gate.
 */
final class LeakLog {

  private static final long MINUTE = 60_000_000_000L;

  /** How many the next line stands for. */
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

  private final StatsCounter tally;
  private final Line overdue = new Line();
  private final Line lost = new Line();

  LeakLog(StatsCounter tally) {
    this.tally = tally;
  }

  void overdue(OpenEntry permit, Visit duties) {
    overdue.add(duties.now - permit.startedAt, false);
    tally.tellOverdue(permit, duties);
  }

  /**
   * @param dropped whether the program no longer referred to it
   */
  void lost(OpenEntry permit, boolean dropped, Visit duties) {
    lost.add(duties.now - permit.startedAt, dropped);
    tally.tellAbandoned(permit, duties);
  }

  /** Leaves the lines to be written that are due. */
  void write(Visit duties) {
    if (overdue.isDue(duties.now)) {
      tally.logOverdue(overdue.count, overdue.oldest, duties);
      overdue.clear(duties.now);
    }
    if (lost.isDue(duties.now)) {
      tally.logLost(lost.count, lost.dropped, lost.oldest, duties);
      lost.clear(duties.now);
    }
  }
}
