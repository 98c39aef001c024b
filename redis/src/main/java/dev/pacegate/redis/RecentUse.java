package dev.pacegate.redis;

/** How many units were used lately: the more of this span and the one before it. */
final class RecentUse {

  private long beganAt;
  private long before;
  private long units;

  void add(long now, long more, long span) {
    roll(now, span);
    units += more;
  }

  long units(long now, long span) {
    roll(now, span);
    return Math.max(before, units);
  }

  private void roll(long now, long span) {
    if (now - beganAt >= span || now - beganAt < 0) {
      before = now - beganAt < 2 * span && now - beganAt >= 0 ? units : 0;
      units = 0;
      beganAt = now;
    }
  }
}
