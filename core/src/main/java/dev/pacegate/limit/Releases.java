package dev.pacegate.limit;

import dev.pacegate.limit.spi.Past;

/**
 * The release timestamps of units, as far back as a sliding window needs them.
 *
 * <p>Timestamps never decrease: a unit with an earlier one gets that of its predecessor.
 *
 * <p>A window may be charged more than its rate allows: by requests that start late, cost more than
 * they asked for, or went under another limit. From then on it keeps what it forgets, as that
 * follows from the rate no more.
 */
interface Releases {

  /** Returns an empty store for a window of {@code rate}, in the form that suits its size. */
  static Releases of(Rate rate) {
    return rate.permits() <= TimestampRing.MOST_UNITS
        ? new TimestampRing(rate)
        : new RecentRuns(rate);
  }

  /**
   * Returns the wait from {@code now} until the last unit but {@code back}, fewer than the window
   * holds, is an interval old; 0 if there is no such unit.
   */
  long untilAged(long back, long now);

  /**
   * Returns whether more than {@code count}, less than the window holds, came within the interval
   * that ends {@code now}.
   */
  boolean moreThan(long count, long now);

  /** Returns how many remembered units came within the interval that ends {@code now}. */
  long within(long now);

  /**
   * Adds one unit, released at {@code stamp}.
   *
   * @param full whether as many as the rate allows ever came within an interval: until then, one
   *     more is never too many
   */
  void addOne(long stamp, boolean full);

  /** Adds {@code units}, all released at {@code stamp}. */
  void add(long stamp, long units);

  /**
   * Removes up to {@code units} that were released at {@code stamp}: as many as are known, and only
   * so many that no forgotten unit matters again.
   */
  void remove(long stamp, long units);

  /**
   * Reports all units, and before the remembered ones those that the rate may have allowed; units
   * after {@code now} count as of {@code now}.
   */
  void recall(long now, Past past);
}
