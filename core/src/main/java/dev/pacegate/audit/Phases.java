package dev.pacegate.audit;

/**
 * Counts, phase by phase, the fixed windows that are too full.
 *
 * <p>Takes the stretches of time in which intervals that are too full begin, and counts how often
 * each phase lies in one. The phases lie on a grid of at most a thousand, its points {@code anchor
 * + n step} within each interval; it is anchored in the first stretch, so that one point at least
 * is hit. A stretch adds 1 to a run of neighbouring phases: only where runs begin and end is kept.
 */
final class Phases {

  private static final int MOST = 1000;

  private final long interval;
  private final long step;
  private final int phases;
  private final long anchor;
  private final long[] changes; // how much more often each phase is hit than its left neighbour
  private long all; // hits of all phases alike, beside
  private long counted; // up to where stretches have been counted

  /**
   * Makes a grid that has a point at {@code anchor}; the first stretch begins within I before it.
   */
  Phases(long interval, long anchor) {
    this.interval = interval;
    this.step = (interval - 1) / MOST + 1;
    this.phases = (int) ((interval - 1) / step + 1);
    this.anchor = anchor;
    this.changes = new long[phases + 1];
    this.counted = anchor - interval;
  }

  /**
   * Adds the stretch from {@code from} to {@code to}, which ends no earlier than the one before.
   */
  void add(long from, long to) {
    long before = lastPointUntil(counted - from >= 0 ? counted : from - 1);
    long points = lastPointUntil(to) - before;
    all += points / phases;
    addRun(Math.floorMod(before + 1, phases), (int) (points % phases));
    counted = to;
  }

  private void addRun(int first, int length) {
    int behind = first + length;
    changes[first]++;
    if (behind <= phases) {
      changes[behind]--;
    } else {
      changes[0]++;
      changes[behind - phases]--;
    }
  }

  /** Returns the number of the last point of the grid that is not after {@code instant}. */
  private long lastPointUntil(long instant) {
    long offset = instant - anchor;
    return Math.floorDiv(offset, interval) * phases + Math.floorMod(offset, interval) / step;
  }

  /**
   * Returns the phase that is hit most, and how often; of equal ones, that nearest to the anchor.
   */
  FixedWindows worst() {
    int worst = 0;
    long most = 0;
    long hits = all;
    for (int phase = 0; phase < phases; phase++) {
      hits += changes[phase];
      if (hits > most) {
        most = hits;
        worst = phase;
      }
    }
    return new FixedWindows((Math.floorMod(anchor, interval) + worst * step) % interval, most);
  }
}
