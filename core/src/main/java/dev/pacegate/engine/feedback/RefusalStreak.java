package dev.pacegate.engine.feedback;

/**
 * Refusals in a row, with no accepted request in between: each doubles the pause. Guarded by the
 * gate.
 */
final class RefusalStreak {

  private int refusals;
  private long since; // the first of them
  private long pausedUntil;
  private boolean hasPaused;

  /**
   * Returns the pause after a refusal that states none.
   *
   * @param first the pause after the first of a streak
   */
  long pause(long first, long longest) {
    int most = Math.max(0, Long.numberOfLeadingZeros(first) - 2); // more would overflow
    return Math.min(longest, first << Math.min(refusals, most));
  }

  /**
   * Returns {@code pause}, or what is left of a window that began with the first refusal of the
   * streak: by then more is available, however the peer counts. If it is refused all the same,
   * another window begins.
   *
   * @param least the shortest pause
   */
  long within(long window, long least, long pause, long now) {
    long passed = refusals == 0 ? 0 : Math.max(0, now - since) % window;
    return Math.min(pause, Math.max(least, window - passed));
  }

  /** Records a pause. A request that started before the last one ended adds no refusal. */
  void paused(long startedAt, long now, long until) {
    since = refusals == 0 ? now : since;
    if (!hasPaused || refusals == 0 || startedAt >= pausedUntil) {
      refusals++;
    }
    pausedUntil = hasPaused ? Math.max(pausedUntil, until) : until;
    hasPaused = true;
  }

  /** Returns whether a pause has ended after {@code instant}, or has not ended. */
  boolean hasPausedSince(long instant) {
    return hasPaused && pausedUntil > instant;
  }

  /** The peer has accepted a request. */
  void end() {
    refusals = 0;
  }
}
