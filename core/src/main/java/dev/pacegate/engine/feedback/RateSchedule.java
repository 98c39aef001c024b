package dev.pacegate.engine.feedback;

/**
 * How a rate rises after a refusal, in units an interval: a function of time. Immutable.
 *
 * <p>After k whole intervals without a refusal it is
 *
 * <pre>
 *   low + (0.97 top - low) k / 2                 while k &lt; 2,
 *   0.97 top                                     while k &lt;= 2 + hold,
 *   0.97 top + 0.05 max (2.5^n - 1) / 1.5        with n = k - 2 - hold after that,
 * </pre>
 *
 * but never less than low nor more than max, the limit's own. When it has risen to that, requests
 * still go evenly for four intervals, before many may go at once again.
 */
final class RateSchedule {

  private static final double SAFE = 0.97; // of what was refused
  private static final double STEP = 0.05; // of the limit, the first one
  private static final double GROWTH = 2.5; // of a step over the one before
  private static final int MOST_STEPS = 40; // which pass any limit
  private static final int RECOVERY = 2; // intervals until it is nearly back
  private static final int EVEN = 4; // intervals at the limit before many may go at once

  private final double max;
  private final long interval;
  private final double low;
  private final double top;
  private final int hold;
  private final long since;
  private final long risenAt;

  /**
   * Creates a schedule that rises from {@code since} on.
   *
   * @param max the limit's rate
   * @param low the rate at first
   * @param top the rate that was refused
   * @param hold how many intervals it stays nearly there before it tries more
   */
  RateSchedule(double max, long interval, double low, double top, int hold, long since) {
    this.max = max;
    this.interval = interval;
    this.low = low;
    this.top = top;
    this.hold = hold;
    this.since = since;
    this.risenAt = since + untilRisen() * interval;
  }

  private long untilRisen() {
    long intervals = 0;
    while (after(intervals) < max) {
      intervals++;
    }
    return intervals;
  }

  /** Returns the rate at an instant. */
  double at(long now) {
    return Math.min(max, after(intervals(now)));
  }

  /** Returns when it is the limit's if nothing more is refused. */
  long risenAt() {
    return risenAt;
  }

  /** Returns for how long requests go evenly if nothing more is refused. */
  long restsIn(long now) {
    return Math.max(0, risenAt + EVEN * interval - now);
  }

  /** Returns this if it stays at the present rate and rises from now on. */
  RateSchedule heldAt(long now) {
    return new RateSchedule(max, interval, at(now), top, hold, now);
  }

  /** Returns this if it tries more after {@code sooner} intervals; itself if it does already. */
  RateSchedule tryingMore(int sooner, long now) {
    return triesMore(now)
        ? this
        : new RateSchedule(
            max, interval, low, top, sooner, Math.max(since, now - (RECOVERY + sooner) * interval));
  }

  /** Returns whether it is more than what is known to be accepted. */
  boolean triesMore(long now) {
    return now >= risenAt || intervals(now) >= RECOVERY + hold;
  }

  private long intervals(long now) {
    return Math.max(0, (now - since) / interval);
  }

  private double after(long intervals) {
    double safe = top * SAFE;
    if (intervals < RECOVERY) {
      return Math.max(low, low + (safe - low) * (double) intervals / RECOVERY);
    }
    long steps = Math.max(0, intervals - RECOVERY - hold);
    return Math.max(low, safe)
        + STEP * max * (Math.pow(GROWTH, (double) Math.min(steps, MOST_STEPS)) - 1) / (GROWTH - 1);
  }
}
