package dev.pacegate.benchmarks.interleaved;

import java.util.Locale;

/** What can be said of two that were measured: that they differ, only if it can be seen. */
enum Verdict {
  AHEAD,
  BEHIND,
  FASTER,
  SLOWER,
  LEVEL;

  /** Returns how one stands to another, both by how long they take. */
  static Verdict between(Interval one, Interval other) {
    if (one.overlaps(other)) {
      return LEVEL;
    }
    return one.high() < other.low() ? AHEAD : BEHIND;
  }

  /** Returns what became of one, by how many times as long as before it takes. */
  static Verdict of(Interval ratio) {
    if (ratio.contains(1)) {
      return LEVEL;
    }
    return ratio.high() < 1 ? FASTER : SLOWER;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
