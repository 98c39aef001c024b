package dev.pacegate.limit;

import dev.pacegate.limit.spi.Past;

/**
 * When units were released: as far back as a sliding window needs to know.
 *
 * <p>Instants never go back: a unit that comes with an earlier one counts as of its predecessor's.
 */
interface Releases {

  /** Returns an empty memory for a window of {@code rate}, in the form that suits its size. */
  static Releases of(Rate rate) {
    return rate.permits() <= TimestampRing.MOST_UNITS
        ? new TimestampRing((int) rate.permits())
        : new RecentRuns(rate);
  }

  /**
   * Returns how long from {@code now} until the last unit but {@code back}, fewer than the window
   * holds, is {@code span} old; 0 if there is none.
   */
  long untilAged(long back, long span, long now);

  /**
   * Returns whether more than {@code count}, less than the window holds, came after {@code
   * instant}.
   */
  boolean moreThan(long count, long instant);

  /** Returns how many of the units that are remembered came after {@code instant}. */
  long after(long instant);

  /** Adds one unit, released at {@code stamp}. */
  void add(long stamp);

  /** Adds {@code units}, all released at {@code stamp}. */
  void add(long stamp, long units);

  /**
   * Takes back up to {@code units} that were released at {@code stamp}: as many as are known to
   * have been, and as make none matter again that is not remembered.
   */
  void remove(long stamp, long units);

  /**
   * Tells all that there may have been, at {@code rate} before what is remembered; what comes after
   * {@code now} counts as of then.
   */
  void recall(long now, Past past, Rate rate);
}
