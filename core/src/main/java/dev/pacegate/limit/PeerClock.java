package dev.pacegate.limit;

/**
 * How far the peer's clock is ahead of the time of day here: between {@link #least} and {@link
 * #most}, both negative if it is behind. At first that is the margin either way; answers that tell
 * the time teach better.
 *
 * <p>An answer in a second D was given between its request's start and its arrival, so the peer's
 * clock is ahead by D less the arrival at least, and by less than D + 1 s less the start. Answers
 * that agree leave what is common to all. As one may lie (it may be an old one, out of a cache), it
 * takes several that agree before they are trusted; until then all that was ever thought possible
 * still is.
 */
final class PeerClock {

  /** So many answers that agree are trusted. */
  private static final int ENOUGH = 8;

  private static final long SECOND = 1_000_000_000L;

  /** Two clocks part by at most 1 ns in so many. */
  private static final long DRIFT = 2_000;

  private final long margin;
  private final long farthest;
  private long low; // what those that agree have in common, as of then
  private long high;
  private long asOf;
  private int agree;
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
    long least = low - drift(now);
    return agree >= ENOUGH ? least : Math.min(formerLow, Math.max(least, -farthest));
  }

  long most(long now) {
    if (agree == 0) {
      return high;
    }
    long most = high + drift(now);
    return agree >= ENOUGH ? most : Math.max(formerHigh, Math.min(most, farthest));
  }

  private long drift(long now) {
    return Nanos.since(asOf, now) / DRIFT;
  }

  /**
   * Takes in that by the peer's clock it was {@code date}, to the second, between two instants by
   * ours, in nanoseconds since 1970.
   */
  void learn(long now, long started, long arrived, long date) {
    long least = date - arrived;
    long most = date + SECOND - started;
    long knownLow = low - drift(now);
    long knownHigh = high + drift(now);
    if (agree > 0 && least <= knownHigh && most >= knownLow) {
      low = Math.max(least, knownLow);
      high = Math.min(most, knownHigh);
      agree++;
    } else {
      formerLow = Math.min(-margin, Math.max(least(now), -farthest));
      formerHigh = Math.max(margin, Math.min(most(now), farthest));
      low = least;
      high = most;
      agree = 1;
    }
    asOf = now;
  }
}
