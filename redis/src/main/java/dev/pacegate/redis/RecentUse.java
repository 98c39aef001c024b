package dev.pacegate.redis;

/**
 * How many units were used lately: the more of this span and the one before it. After a span
 * without any, the next begins with the first use.
 */
final class RecentUse {

  private long beganAt;
  private long before;
  private long units;
  private long last; // the same before that, when any were used

  void add(long now, long more, long span) {
    roll(now, span);
    units += more;
  }

  long units(long now, long span) {
    roll(now, span);
    return Math.max(before, units);
  }

  /** Returns how many were used when any were used last, however long ago. */
  long last() {
    return wereUsed() ? Math.max(units, before) : last;
  }

  boolean wereUsed() {
    return units > 0 || before > 0;
  }

  private void roll(long now, long span) {
    if (!wereUsed() || now - beganAt >= span || now - beganAt < 0) {
      last = last();
      before = now - beganAt < 2 * span && now - beganAt >= 0 ? units : 0;
      units = 0;
      beganAt = now;
    }
  }
}
