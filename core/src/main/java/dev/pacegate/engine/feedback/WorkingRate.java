package dev.pacegate.engine.feedback;

import dev.pacegate.Quota;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.spi.Meter;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The rate at which a peer accepts requests, if that was found to be less than its limit says.
 * While it is in force, requests go evenly at that rate. Guarded by the gate.
 *
 * <p>A refusal lowers it, to 85 % of what the peer accepted within the last interval; soon after
 * the last one to 75 %. A program that sends little has little accepted, so less than half the rate
 * before counts as half of it. A refusal lowers it at most once in an interval, as requests that
 * were on their way tell nothing new. A request waits for the one before it for no longer than ten
 * minutes, whatever that cost. The rate rises by intervals without a refusal: in two of them nearly
 * to where it was refused, then it stays for some, then it tries more by steps that grow. Of few
 * units a try is a large part, so there it stays for longer. At the limit requests still go evenly
 * for some intervals, before many may go at once again. Processes with one limit take the same
 * steps up and give away a part of what they have, so they come to share what a peer accepts. If
 * the peer states its limit, and it is what was accepted, the rate stays for longer. As soon as the
 * peer states another number, it tries more as if none had been stated.
 *
 * <p>A limit has none if its shortest interval, or the intervals that it takes to let ten through,
 * are more than ten minutes: a rate that takes hours to rise would cost more than the refusals.
 */
final class WorkingRate {

  private static final double CUT = 0.85;
  private static final double CUT_AGAIN = 0.75; // soon after the last time
  private static final double SAFE = 0.97; // of what was refused
  private static final double STEP = 0.05; // of the limit, the first one
  private static final double GROWTH = 2.5; // of a step over the one before
  private static final double LEAST = 1.0 / 32; // of the limit
  private static final int RECOVERY = 2; // intervals until it is nearly back
  private static final int HOLD = 3; // intervals before it tries more
  private static final int HOLD_OF_FEW = 6; // the same of fewer units than FEW
  private static final int HOLD_STATED = 16; // the same if the peer has stated its limit
  private static final int FEW = 20; // units in an interval, of which one is more than a step
  private static final int TENTH = 10; // units in an interval, of which one is a tenth
  private static final int EVEN = 4; // intervals at the limit before many may go at once
  private static final int AGAIN = 3; // intervals that are soon
  private static final int MANY = 1000; // intervals to count what a limit allows in the long run
  private static final long LONGEST_GAP = 600_000_000_000L; // ten minutes

  private final long window; // the limit's interval
  private final long interval;
  private final double max; // units in an interval by the limit
  private final long scale; // how many intervals of the limit an interval is
  private final boolean hasBurst;
  private final RecentCount accepted;
  private boolean isLowered; // since the peer has first refused
  private double low; // the rate after the last refusal
  private double top; // what was refused
  private int hold; // intervals before it tries more
  private long since; // the last refusal
  private long risenAt; // when it is the limit's
  private long loweredAt;
  private @Nullable Quota stated; // in which the peer has said what its limit is
  private long nextAt; // when the next unit may go

  private WorkingRate(Promise promise) {
    long each = perInterval(promise);
    this.window = promise.interval();
    this.scale = scale(each);
    this.interval = promise.interval() * scale;
    this.max = (double) each * scale;
    this.hasBurst = promise.atOnce() > 1;
    this.accepted = new RecentCount(interval);
  }

  /** Counts what a long span allows beyond one of half its length: bursts count in both. */
  private static long perInterval(Promise promise) {
    long span = MANY * promise.interval();
    return Math.max(1, (promise.most(2 * span) - promise.most(span)) / MANY);
  }

  /** Returns how many intervals have units enough to tell a tenth. */
  private static long scale(long each) {
    return each >= TENTH ? 1 : (TENTH + each - 1) / each;
  }

  /** Returns one for a limit; null if the limit bounds no rate of calls or plain costs. */
  static @Nullable WorkingRate of(Limit limit) {
    Promise shortest = null;
    for (Promise promise : limit.promises()) {
      boolean isRate = promise.interval() > 0 && promise.interval() < Meter.LONGEST / (2 * MANY);
      boolean counts = promise.of().equals(Measure.PLAIN) || promise.of().equals(Measure.CALLS);
      if (isRate && counts && (shortest == null || promise.interval() < shortest.interval())) {
        shortest = promise;
      }
    }
    return shortest == null || span(shortest) > LONGEST_GAP ? null : new WorkingRate(shortest);
  }

  private static long span(Promise promise) {
    return promise.interval() * scale(perInterval(promise));
  }

  /** Returns the working rate that follows this one under another limit. */
  @Nullable WorkingRate under(Limit next, long now) {
    WorkingRate follower = of(next);
    if (follower != null && isInForce(now)) {
      double units = at(now) / interval * follower.interval;
      if (units < follower.max) {
        follower.lower(units, units, follower.usualHold(), now);
        follower.loweredAt = loweredAt;
        follower.nextAt = nextAt;
      }
    }
    return follower;
  }

  /** Returns whether requests go evenly at this rate, be it that of the limit again. */
  boolean isInForce(long now) {
    return restsIn(now) > 0;
  }

  /** Returns whether it is less than the limit's. */
  boolean isBelowLimit(long now) {
    return isLowered && now < risenAt;
  }

  /** Returns the interval by which it counts: the limit's, or several. */
  long interval() {
    return interval;
  }

  /** Returns the rate in units a second. */
  double perSecond(long now) {
    return at(now) / interval * 1e9;
  }

  /** Returns how long it will be in force if the peer refuses nothing more. */
  long restsIn(long now) {
    return isLowered ? Math.max(0, risenAt + EVEN * interval - now) : 0;
  }

  private void risesFrom(long instant) {
    since = instant;
    long intervals = 0;
    while (after(intervals) < max) {
      intervals++;
    }
    risenAt = since + intervals * interval;
  }

  private double at(long now) {
    return isLowered ? Math.min(max, after(intervals(now))) : max;
  }

  private long intervals(long now) {
    return Math.max(0, (now - since) / interval);
  }

  /** Returns the rate after so many intervals without a refusal. */
  private double after(long intervals) {
    double safe = top * SAFE;
    if (intervals < RECOVERY) {
      return Math.max(low, low + (safe - low) * (double) intervals / RECOVERY);
    }
    long steps = Math.max(0, intervals - RECOVERY - hold);
    return Math.max(low, safe)
        + STEP * max * (Math.pow(GROWTH, (double) Math.min(steps, 40)) - 1) / (GROWTH - 1);
  }

  // What requests do

  /** Returns the wait for the first unit behind {@code ahead}. */
  long nanosUntil(long now, Cost ahead) {
    if (!isInForce(now)) {
      return 0;
    }
    return Math.min(Math.max(0, nextAfter(now, ahead.amount()) - now), restsIn(now));
  }

  /** Returns the least wait of a request that comes now. */
  long atLeast(long now) {
    return nanosUntil(now, Cost.none());
  }

  void release(long now, Cost cost) {
    if (isInForce(now)) {
      nextAt = Math.min(nextAfter(now, cost.amount()), now + LONGEST_GAP);
    }
  }

  /** Returns when the unit behind {@code amount} may go: at the limit's rate as soon as it is. */
  private long nextAfter(long now, long amount) {
    double gap = interval / at(now);
    long earliest = hasBurst ? now - bounded(gap) : now; // a late thread catches up
    long start = Math.max(nextAt, earliest);
    long atTheLimit = Math.max(start, risenAt) + bounded(interval / max * amount);
    return Math.min(start + bounded(gap * amount), atTheLimit);
  }

  private static long bounded(double nanos) {
    return (long) Math.min(nanos, LONGEST_GAP);
  }

  // What the peer says

  /** The peer has accepted requests. */
  void accepted(long now, long amount) {
    accepted.add(now, amount);
  }

  /**
   * The peer tells of a quota in any answer. If it is the one that it stated, it may be another.
   */
  void stated(Quota quota, long now) {
    if (stated != null
        && quota.name().equals(stated.name())
        && quota.cost().isEmpty()
        && quota.window().equals(stated.window())
        && quota.limit().isPresent()
        && !quota.limit().equals(stated.limit())) {
      stated = null;
      triesMore(now);
    }
  }

  /** Ends the longer stay of a rate that the peer has stated. */
  private void triesMore(long now) {
    if (isBelowLimit(now) && intervals(now) < RECOVERY + hold) {
      hold = usualHold();
      risesFrom(Math.max(since, now - (RECOVERY + hold) * interval));
    }
  }

  /** Returns whether a quota that names a window names that of the limit. */
  boolean isOf(Quota quota) {
    return quota.cost().isEmpty()
        && quota.window().map(named -> named.equals(Duration.ofNanos(window))).orElse(true);
  }

  boolean isOf(Promise promise) {
    return promise.interval() == window;
  }

  /**
   * The peer has refused a request for its limit.
   *
   * @param startedAt when the request started
   * @param wasPaused whether too little was sent within the last interval to tell what is accepted
   * @param quota the quota whose limit the answer states; null if none
   */
  void refused(long startedAt, long now, boolean wasPaused, @Nullable Quota quota) {
    double current = at(now);
    boolean isNew = !isLowered || (startedAt > loweredAt && now - loweredAt >= interval);
    if (!isNew) {
      staysAt(current, now);
      return;
    }
    double found =
        wasPaused ? current : Math.min(current, Math.max(current / 2, (double) accepted.sum(now)));
    double units = quota == null ? 0 : (double) quota.limit().orElse(0) * scale;
    boolean isStated = units > 0 && units < max && Math.abs(units - found) <= 1 + units / 5;
    double ceiling = Math.max(isStated ? units : found, max * LEAST);
    stated = isStated ? quota : null;
    boolean isAgain = isLowered && now - loweredAt < AGAIN * interval;
    lower(
        ceiling * (isAgain ? CUT_AGAIN : CUT),
        ceiling,
        isStated ? HOLD_STATED : usualHold() + either(now),
        now);
    nextAt = Math.max(nextAt, now);
    loweredAt = now;
  }

  /**
   * A refusal of a request that was on its way is no reason to give up what is tried at the limit.
   */
  private void staysAt(double current, long now) {
    if (current < max) {
      low = current;
      risesFrom(now);
    }
  }

  private int usualHold() {
    return max < FEW ? HOLD_OF_FEW : HOLD;
  }

  /** Returns 0 or 1, as if at random, so that processes do not try more at the same time. */
  private static int either(long now) {
    return (int) ((now * 0x9E3779B97F4A7C15L) >>> 63);
  }

  private void lower(double rate, double refused, int intervals, long now) {
    isLowered = true;
    low = Math.max(rate, max * LEAST);
    top = Math.max(refused, max * LEAST);
    hold = intervals;
    risesFrom(now);
  }
}
