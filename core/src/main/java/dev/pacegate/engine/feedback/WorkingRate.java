package dev.pacegate.engine.feedback;

import dev.pacegate.Quota;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.spi.Meter;
import java.time.Duration;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rate at which a peer accepts requests, if that was found to be less than a term of its limit
 * says. While it is in force, requests go evenly at that rate. Guarded by the gate.
 *
 * <p>A refusal lowers it to 0.85 f, soon after the last one to 0.75 f, with
 *
 * <pre>
 *   f = min(r, max(r / 2, a)),     but at least a 32nd of the limit's,
 * </pre>
 *
 * r the rate until then and a what the peer accepted within the last interval: a program that sends
 * little has little accepted. If the peer states its limit, and it is what was accepted, that is f.
 * A refusal lowers the rate at most once in an interval, as requests that were on their way tell
 * nothing new. It rises by a {@link RateSchedule}, which holds it for three intervals before it
 * tries more; for six of few units, of which a try is a large part; for sixteen if the peer has
 * stated its limit, until it states another.
 *
 * <p>A term has none if its interval, or the intervals that it takes to let ten through, are more
 * than ten minutes: a rate that takes hours to rise would cost more than the refusals.
 */
final class WorkingRate {

  private static final double CUT = 0.85;
  private static final double CUT_AGAIN = 0.75; // soon after the last time
  private static final double LEAST = 1.0 / 32; // of the limit
  private static final int HOLD = 3; // intervals before it tries more
  private static final int HOLD_OF_FEW = 6; // the same of fewer units than FEW
  private static final int HOLD_STATED = 16; // the same if the peer has stated its limit
  private static final int FEW = 20; // units in an interval, of which one is more than a step
  private static final int TENTH = 10; // units in an interval, of which one is a tenth
  private static final int AGAIN = 3; // intervals that are soon
  private static final long SECOND = 1_000_000_000; // a wait is rounded up to whole ones
  private static final int MANY = 1000; // intervals to count what a limit allows in the long run

  private final long window; // the term's interval
  private final long interval;
  private final double max; // units in an interval by the term
  private final long scale; // how many intervals of the term an interval is
  private final RecentCount accepted;
  private final EvenPace pace;
  private long loweredAt;
  private @Nullable Quota stated; // in which the peer has said what its limit is

  private WorkingRate(Promise promise) {
    long each = perInterval(promise);
    this.window = promise.interval();
    this.scale = scale(each);
    this.interval = promise.interval() * scale;
    this.max = (double) each * scale;
    this.accepted = new RecentCount(interval);
    this.pace = new EvenPace(max, interval, promise.atOnce() > 1);
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

  /** Returns those of the terms of a limit that bound a rate of calls or plain costs. */
  static Stream<WorkingRate> of(Limit limit) {
    return limit.promises().stream().filter(WorkingRate::isLearnt).map(WorkingRate::new);
  }

  private static boolean isLearnt(Promise promise) {
    boolean isRate = promise.interval() > 0 && promise.interval() < Meter.LONGEST / (2 * MANY);
    boolean counts = promise.of().equals(Measure.PLAIN) || promise.of().equals(Measure.CALLS);
    return isRate
        && counts
        && promise.interval() * scale(perInterval(promise)) <= EvenPace.LONGEST_GAP;
  }

  /** Goes on at the rate of {@code before}, if that is less than its own. */
  void goesOnFrom(WorkingRate before, long now) {
    double units = before.pace.at(now) / before.interval * interval;
    if (units < pace.at(now)) {
      lower(units, units, usualHold(), now, before.pace.nextAt());
      loweredAt = before.loweredAt;
    }
  }

  /** Returns what lets requests go at this rate. */
  EvenPace pace() {
    return pace;
  }

  /** Returns the interval of the term. */
  long window() {
    return window;
  }

  /** Returns the interval by which it counts: the term's, or several. */
  long interval() {
    return interval;
  }

  /** Returns the rate in units a second. */
  double perSecond(long now) {
    return pace.at(now) / interval * 1e9;
  }

  // What the peer says

  /** The peer has accepted requests. */
  void accepted(long now, long amount) {
    accepted.add(now, amount);
  }

  /** If the peer now states another limit for the quota of its last refusal, the long hold ends. */
  void stated(Quota quota, long now) {
    if (stated != null
        && quota.name().equals(stated.name())
        && quota.cost().isEmpty()
        && quota.window().equals(stated.window())
        && quota.limit().isPresent()
        && !quota.limit().equals(stated.limit())) {
      stated = null;
      RateSchedule schedule = pace.schedule();
      if (schedule != null) {
        pace.follow(schedule.tryingMore(usualHold(), now), 0);
      }
    }
  }

  boolean isLowered(long now) {
    return pace.restsIn(now) > 0;
  }

  /**
   * Returns whether a refusal may be about this term: the wait that it states is not longer than
   * the interval, and the rate is not one that was accepted before.
   */
  boolean mayExplain(RefusalDetails refusal) {
    RateSchedule schedule = pace.schedule();
    boolean isFast =
        schedule == null
            || schedule.triesMore(refusal.now())
            || isKnown(refusal.startedAt(), refusal.now());
    return window > refusal.asked() - SECOND && isFast;
  }

  /** Returns whether a refusal of a request is of those that have lowered the rate. */
  private boolean isKnown(long startedAt, long now) {
    return startedAt <= loweredAt || now - loweredAt < interval;
  }

  /** Returns whether a quota is about this term, or does not say which one it is about. */
  boolean isOf(Limit limit, Quota quota) {
    Promise named = QuotaReconciler.term(limit, quota);
    return quota.cost().isEmpty()
        && quota.window().map(Duration.ofNanos(window)::equals).orElse(true)
        && (named == null || named.interval() == window);
  }

  /**
   * The peer has refused a request for its limit.
   *
   * @param wasPaused whether too little was sent within the last interval to tell what is accepted
   */
  void refused(RefusalDetails refusal, boolean wasPaused) {
    long now = refusal.now();
    RateSchedule before = pace.schedule();
    double current = pace.at(now);
    if (before != null && isKnown(refusal.startedAt(), now)) {
      if (current < max) { // what is tried at the limit is not given up for a request on its way
        pace.follow(before.heldAt(now), 0);
      }
      return;
    }
    double found =
        wasPaused ? current : Math.min(current, Math.max(current / 2, (double) accepted.sum(now)));
    Quota quota = QuotaReconciler.stating(refusal.usedUpOf(this));
    double units = quota == null ? 0 : (double) quota.limit().orElse(0) * scale;
    boolean isStated = units > 0 && units < max && Math.abs(units - found) <= 1 + units / 5;
    double ceiling = Math.max(isStated ? units : found, max * LEAST);
    stated = isStated ? quota : null;
    boolean isAgain = before != null && now - loweredAt < AGAIN * interval;
    lower(
        ceiling * (isAgain ? CUT_AGAIN : CUT),
        ceiling,
        isStated ? HOLD_STATED : usualHold() + either(now),
        now,
        now);
    loweredAt = now;
  }

  private int usualHold() {
    return max < FEW ? HOLD_OF_FEW : HOLD;
  }

  /** Returns 0 or 1, as if at random, so that processes do not try more at the same time. */
  private static int either(long now) {
    return (int) ((now * 0x9E3779B97F4A7C15L) >>> 63);
  }

  private void lower(double rate, double refused, int hold, long now, long earliest) {
    double least = max * LEAST;
    pace.follow(
        new RateSchedule(max, interval, Math.max(rate, least), Math.max(refused, least), hold, now),
        earliest);
  }
}
