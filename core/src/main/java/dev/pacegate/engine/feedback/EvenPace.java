package dev.pacegate.engine.feedback;

import dev.pacegate.limit.Cost;
import org.jspecify.annotations.Nullable;

/**
 * Lets requests go one after another at the rate of a schedule, while there is one. A request waits
 * for the one before it for no longer than ten minutes, whatever that cost. Guarded by the gate.
 */
final class EvenPace {

  /** The longest wait for one request. */
  static final long LONGEST_GAP = 600_000_000_000L;

  private final double max; // units in an interval by the limit
  private final long interval;
  private final boolean hasBurst;
  private @Nullable RateSchedule schedule; // once anything was refused
  private long nextAt; // when the next unit may go

  EvenPace(double max, long interval, boolean hasBurst) {
    this.max = max;
    this.interval = interval;
    this.hasBurst = hasBurst;
  }

  @Nullable RateSchedule schedule() {
    return schedule;
  }

  /** Follows another schedule; the next unit goes no earlier than {@code earliest}. */
  void follow(RateSchedule next, long earliest) {
    schedule = next;
    nextAt = Math.max(nextAt, earliest);
  }

  long nextAt() {
    return nextAt;
  }

  /** Returns the rate in units an interval. */
  double at(long now) {
    return schedule == null ? max : schedule.at(now);
  }

  /** Returns for how long requests go evenly if the peer refuses nothing more. */
  long restsIn(long now) {
    return schedule == null ? 0 : schedule.restsIn(now);
  }

  /** Returns the wait for the first unit behind {@code ahead}. */
  long nanosUntil(long now, Cost ahead) {
    long rests = restsIn(now);
    return schedule == null || rests == 0
        ? 0
        : Math.min(Math.max(0, nextAfter(schedule, now, ahead.amount()) - now), rests);
  }

  void release(long now, Cost cost) {
    if (schedule != null && restsIn(now) > 0) {
      nextAt = Math.min(nextAfter(schedule, now, cost.amount()), now + LONGEST_GAP);
    }
  }

  /** Returns when the unit behind {@code amount} may go: at the limit's rate as soon as it is. */
  private long nextAfter(RateSchedule schedule, long now, long amount) {
    double gap = interval / at(now);
    long earliest = hasBurst ? now - bounded(gap) : now; // a late thread catches up
    long start = Math.max(nextAt, earliest);
    long atTheLimit = Math.max(start, schedule.risenAt()) + bounded(interval / max * amount);
    return Math.min(start + bounded(gap * amount), atTheLimit);
  }

  private static long bounded(double nanos) {
    return (long) Math.min(nanos, LONGEST_GAP);
  }
}
