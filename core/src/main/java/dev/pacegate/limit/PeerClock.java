package dev.pacegate.limit;

/**
 * How far the peer's clock is ahead of the time of day here: between {@link #least} and {@link
 * #most}, both negative if it is behind. At first that is the margin either way; answers that tell
 * the time teach better.
 *
 * <p>An answer in a second D was given between its request's start and its arrival, so the peer's
 * clock is ahead by D less the arrival at least, and by less than D + 2 s less the start: a second
 * is cut off, and many servers write the date anew only once a second. Answers that agree leave
 * what is common to all. As one may lie (it may be an old one, out of a cache, and come many times
 * in a row), it takes several that agree while their clock goes on before they are trusted; until
 * then what was thought possible still is, and so is what they say, as far as that stops nobody for
 * long. What is off by more than a day is no clock.
 */
final class PeerClock {

  /** So many answers that agree are trusted. */
  private static final int ENOUGH = 8;

  private static final long SECOND = 1_000_000_000L;

  /** Their dates must be so far apart: an answer that comes again and again has always the same. */
  private static final long APART = 2 * SECOND;

  /** Two clocks part by at most 1 ns in so many: each may be slewed by 500 ppm. */
  private static final long DRIFT = 1_000;

  /** A smaller step than this goes for a slew. */
  private static final long STEP = 10_000_000;

  private static final long FARTHEST = CalendarLength.DAY;

  private final long margin;
  private final long farthest;
  private long low; // what those that agree have in common, as of then
  private long high;
  private long asOf;
  private int agree;
  private long firstDate; // of those that agree
  private long lastDate;
  private long formerLow; // what was thought before
  private long formerHigh;

  /**
   * @param margin how far it is from ours if nothing is learned
   * @param farthest how far a few answers may make it seem
   */
  PeerClock(long margin, long farthest) {
    this.margin = margin;
    this.farthest = farthest;
    forget();
  }

  /** What was learned no longer holds, as our own clock was set. */
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

  /** Returns by how much it may have changed since it was last told. */
  private long drift(long now) {
    return Nanos.since(asOf, now) / DRIFT;
  }

  /** Returns whether a clock that went on by {@code shown} in {@code passed} was set meanwhile. */
  static boolean isSet(long shown, long passed) {
    return Math.abs(shown - passed) > STEP + passed / DRIFT;
  }

  /**
   * Takes in that by the peer's clock it was {@code date}, to the second, between two instants by
   * ours, in nanoseconds since 1970.
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
