package dev.pacegate.limit;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.TemporalAmount;
import java.util.List;

/**
 * A rule about how often something may be done: an immutable value with a text form.
 *
 * <p>{@link #parse} reads the text and {@code toString} writes it: {@code
 * parse(limit.toString()).equals(limit)}. Every limit states its promise, as a formula in the
 * documentation of its class and as data in {@link #promises()}.
 */
public interface Limit {

  /** Returns a fresh meter for this limit, as of {@code now}. */
  Meter newMeter(long now);

  /**
   * Returns a fresh meter for this limit, as of {@code now}.
   *
   * @param timeOfDay what to read where the limit follows the calendar, in place of the system's
   */
  default Meter newMeter(long now, InstantSource timeOfDay) {
    return newMeter(now);
  }

  /**
   * Returns a meter as of {@code now} for a program that does not know what an earlier one did: as
   * if all that this limit gives at once had just gone, and nobody knew what became of it.
   *
   * @param timeOfDay what to read where the limit follows the calendar
   */
  default Meter newSpentMeter(long now, InstantSource timeOfDay) {
    return Spent.meter(this, now, timeOfDay);
  }

  /**
   * Returns this limit as it takes over from another: without what it says of a beginning of which
   * nothing is known.
   */
  default Limit goingOn() {
    return this;
  }

  /** Returns what this limit promises. */
  List<Promise> promises();

  /** Returns for how long after its start, or its end if it has one, a request may matter. */
  default long memory() {
    long longest = 0;
    for (Promise promise : promises()) {
      longest = Math.max(longest, promise.length());
    }
    return longest;
  }

  /**
   * Returns this limit as the peer counts it: a permit stays spent until an interval after its end.
   * A limit for which that makes no difference, or that says otherwise, is returned as it is.
   */
  default Limit asPeerCounts() {
    return this;
  }

  /**
   * Returns a limit that allows {@code percent} of what this one does, in whole permits.
   *
   * @param percent from 1 to 100, rounded down
   * @throws IllegalArgumentException if that is less than one permit, or this limit has no shares
   */
  default Limit share(int percent) {
    throw new IllegalArgumentException("no share of " + this + " can be reserved");
  }

  /**
   * Returns what this limit allows beyond shares of it, to the last permit.
   *
   * @param percents those of the shares, less than 100 together
   * @throws IllegalArgumentException if this limit has no shares
   */
  default Limit rest(int... percents) {
    throw new IllegalArgumentException("no share of " + this + " can be reserved");
  }

  /** Returns the limit that keeps both this one and {@code other}. */
  default Limit and(Limit other) {
    return All.of(this, other);
  }

  /**
   * Reads a limit, for example {@code "10/1m & concurrent(4)"}.
   *
   * @throws LimitFormatException if the text is no limit; it names the position and what is
   *     expected
   */
  static Limit parse(String text) {
    return Grammar.parse(text);
  }

  /** Begins a sliding window: {@code Limit.atMost(10).inAny(ofMinutes(1))} is {@code 10/1m}. */
  static WindowStart atMost(long max) {
    return interval -> Window.of(Rate.of(max, interval));
  }

  /** Returns a bucket of burst 1 that is replenished by {@code permits} per {@code interval}. */
  static Bucket bucket(long permits, Duration interval) {
    return Bucket.of(Rate.of(permits, interval));
  }

  /** Returns a rate that is reached by and by, after {@code over} at full speed. */
  static Warmup warmup(long permits, Duration interval, Duration over) {
    return Warmup.of(Rate.of(permits, interval), Spans.nanos("over", over));
  }

  /** Returns the limit that keeps two starts at least {@code gap} apart. */
  static Spacing spacing(Duration gap) {
    return new Spacing(Spans.nanos("gap", gap));
  }

  /**
   * Returns windows of the limiter's own of {@code permits} per {@code interval}: see {@link Fixed}
   * for what that does not promise.
   */
  static Fixed fixed(long permits, Duration interval) {
    return Fixed.of(Rate.of(permits, interval));
  }

  /**
   * Returns windows of the calendar, in UTC unless told otherwise, as the peer counts them.
   *
   * @param length for example {@code ofMinutes(1)}, {@code ofDays(1)} or {@code Period.ofMonths(1)}
   */
  static Aligned aligned(long max, TemporalAmount length) {
    return Aligned.of(max, CalendarWindows.of(CalendarLength.of(length)));
  }

  /** Returns windows one of which begins at {@code origin}, as the peer counts them. */
  static Aligned aligned(long max, TemporalAmount length, Instant origin) {
    return Aligned.of(max, CalendarWindows.of(CalendarLength.of(length), origin));
  }

  /** Returns the limit of at most {@code max} open at once. */
  static Concurrent concurrent(long max) {
    return new Concurrent(max);
  }

  /** Returns the limit that limits nothing. */
  static Limit unlimited() {
    return Unlimited.INSTANCE;
  }

  /**
   * Returns {@code limit} as the peer counts it: a window, a bucket, a spacing, or several of them.
   *
   * @throws IllegalArgumentException if it is anything else
   */
  static Limit peer(Limit limit) {
    return Peer.of(limit);
  }

  /** Returns {@code limit}, marked as counting starts where {@link Peer} would be the default. */
  static Limit starts(Limit limit) {
    return new Starts(limit);
  }

  /** The beginning of a sliding window: see {@link Limit#atMost}. */
  @FunctionalInterface
  interface WindowStart {

    /** Completes the window with its length. */
    Window inAny(Duration interval);
  }
}
