package dev.pacegate.limit;

import dev.pacegate.limit.spi.Past;

/**
 * The release timestamps of units, as far back as a sliding window needs them.
 *
 * <p>Timestamps never decrease: a unit with an earlier one gets that of its predecessor.
 */
interface Releases {

  /** Returns an empty store for a window of {@code rate}, in the form that suits its size. */
  static Releases of(Rate rate) {
    return rate.permits() <= TimestampRing.MOST_UNITS
        ? new TimestampRing((int) rate.permits())
        : new RecentRuns(rate);
  }

  /**
   * Returns the wait from {@code now} until the last unit but {@code back}, fewer than the window
   * holds, is {@code span} old; 0 if there is no such unit.
   */
  long untilAged(long back, long span, long now);

  /**
   * Returns whether more than {@code count}, less than the window holds, came after {@code
   * instant}.
   */
  boolean moreThan(long count, long instant);

  /** Returns how many remembered units came after {@code instant}. */
  long after(long instant);

  /** Adds one unit, released at {@code stamp}. */
  void add(long stamp);

  /** Adds {@code units}, all released at {@code stamp}. */
  void add(long stamp, long units);

  /**
   * Removes up to {@code units} that were released at {@code stamp}: as many as are known, and only
   * so many that no forgotten unit matters again.
   */
  void remove(long stamp, long units);

  /**
   * Keeps what it forgets from now on, as units will be added that the rate does not allow: what is
   * forgotten follows from it no more.
   */
  void keepForgotten(Rate rate);

  /**
   * Reports all units, and before the remembered ones what {@code rate} may have let through; units
   * after {@code now} count as of {@code now}.
   */
  void recall(long now, Past past, Rate rate);
}
