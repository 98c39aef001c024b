package dev.pacegate.limit;

/**
 * An estimate of how far the peer's clock is ahead of the local time of day: between {@link #least}
 * and {@link #most}, both negative if it is behind. Initially that is the margin either way;
 * answers that carry the peer's time narrow it.
 *
 * <p>An answer with second D was given between its request's start and its arrival. So the peer's
 * clock is ahead by at least D less the arrival, and by less than D + 2 s less the start: a second
 * is cut off, and many servers update the date only once a second. Answers that agree are
 * intersected. A single one may be wrong (a cache may return an old answer many times in a row), so
 * several must agree, while their clock goes on, before they are trusted. Until then the former
 * estimate counts as well, and so do the answers as far as that delays no request for long. A
 * difference of more than a day is ignored.
 */
final class PeerClockEstimate {

  /** How many answers must agree to be trusted. */
  private static final int ENOUGH = 8;

  private static final long SECOND = 1_000_000_000L;

  /**
   * How far apart their dates must be, in nanoseconds: a cached answer always has the same date.
   */
  private static final long APART = 2 * SECOND;

  /** Two clocks drift by at most 1 ns in this many: each may be slewed by 500 ppm. */
  private static final long DRIFT = 1_000;

  /** A smaller step than this may be a slew. */
  private static final long STEP = 10_000_000;

  private static final long FARTHEST = CalendarLength.DAY;

  private final long margin;
  private final long farthest;
  private long low; // the intersection of the answers that agree, as of then
  private long high;
  private long asOf;
  private int agree;
  private long firstDate; // of the answers that agree
  private long lastDate;
  private long formerLow; // of the former estimate
  private long formerHigh;

  /**
   * @param margin the initial difference from our clock, either way
   * @param farthest the most that a few answers may shift the estimate
   */
  PeerClockEstimate(long margin, long farthest) {
    this.margin = margin;
    this.farthest = farthest;
    forget();
  }

  /** Discards the estimate, as our own clock was set. */
  void forget() {
    agree = 0;
    low = -margin;
    high = margin;
    formerLow = low;
    formerHigh = high;
  }

  long least(long now) {
    if (agree == 0) {
      return low;
    }
    long least = low - drift(now) - STEP;
    return isTrusted() ? least : Math.min(formerLow, Math.max(least, -farthest));
  }

  long most(long now) {
    if (agree == 0) {
      return high;
    }
    long most = high + drift(now) + STEP;
    return isTrusted() ? most : Math.max(formerHigh, Math.min(most, farthest));
  }

  private boolean isTrusted() {
    return agree >= ENOUGH && lastDate - firstDate >= APART;
  }

  /** Returns the possible drift since the last answer. */
  private long drift(long now) {
    return Nanos.since(asOf, now) / DRIFT;
  }

  /** Returns whether a clock that advanced by {@code shown} in {@code passed} was set meanwhile. */
  static boolean isSet(long shown, long passed) {
    return Math.abs(shown - passed) > STEP + passed / DRIFT;
  }

  /**
   * Takes an answer: by the peer's clock it was {@code date}, to the second, between two instants
   * by ours, in nanoseconds since 1970.
   */
  void learn(long now, long started, long arrived, long date) {
    if (date < arrived - FARTHEST || date > arrived + FARTHEST) {
      return;
    }
    long least = date - arrived;
    long most = date + 2 * SECOND - started;
    long knownLow = low - drift(now);
    long knownHigh = high + drift(now);
    if (agree > 0 && least <= knownHigh && most >= knownLow) {
      low = Math.max(least, knownLow);
      high = Math.min(most, knownHigh);
      agree++;
      firstDate = Math.min(firstDate, date);
      lastDate = Math.max(lastDate, date);
    } else {
      formerLow = Math.min(-margin, Math.max(least(now), -farthest));
      formerHigh = Math.max(margin, Math.min(most(now), farthest));
      low = least;
      high = most;
      agree = 1;
      firstDate = date;
      lastDate = date;
    }
    asOf = now;
  }
}
