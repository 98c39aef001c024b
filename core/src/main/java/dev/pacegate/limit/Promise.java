package dev.pacegate.limit;

import static java.util.Objects.requireNonNull;

import dev.pacegate.time.Durations;
import java.time.Instant;

/**
 * A limit's promise as data, for auditors, documentation, and code that handles limits of any kind.
 *
 * <p>Intervals are half-open and may lie anywhere. Under a promise that {@code countsWhole}, a
 * request is counted in every interval in which it was open at some moment, not only where it
 * started. So the promise holds at a peer that counts at any instant in between.
 *
 * <p>A promise of your own is a record that implements these methods. Values of {@link #atOnce},
 * {@link #most} and {@link #length} that are too large are safe; values that are too small are not.
 */
public interface Promise {

  /** What is counted. */
  Measure of();

  /**
   * Whether a request counts wherever it was open, or may have been counted, not only at its start.
   */
  boolean countsWhole();

  /** The promise in words, with its formula. */
  String text();

  /** Returns the most that may be counted at a single instant, apart from a larger single cost. */
  long atOnce();

  /**
   * Returns the most that may be counted in an interval of {@code nanos}, apart from a larger
   * single cost; {@link Long#MAX_VALUE} if there is no bound.
   */
  long most(long nanos);

  /**
   * Returns for how many nanoseconds after its start, or its end if it counts whole, a request
   * matters. After an interval of that length without any request, {@link #atOnce} may be counted.
   * 0 if nothing matters that is over.
   */
  long length();

  /**
   * Returns the interval by which a peer that keeps this limit states it, in nanoseconds: a minute
   * for {@code 10/1m}. 0 if peers do not report what is left of such a limit.
   */
  default long interval() {
    return length();
  }

  /** Returns whether judging it needs instants of the time of day, as nanoseconds since 1970. */
  default boolean followsCalendar() {
    return false;
  }

  /**
   * Returns whether the peer may have started a new count within the last {@code nanos}, as it does
   * when a window of the calendar begins.
   */
  default boolean mayHaveTurned(Instant now, long nanos) {
    requireNonNull(now);
    return false;
  }

  /**
   * At most {@code max} in any interval of {@code nanos}.
   *
   * @param max the most that may be counted
   * @param nanos the length of the interval
   * @param of what is counted
   * @param countsWhole whether a request counts wherever it was open
   */
  record AtMost(long max, long nanos, Measure of, boolean countsWhole) implements Promise {

    /** Checks that no component is null. */
    public AtMost {
      requireNonNull(of);
    }

    @Override
    public long atOnce() {
      return max;
    }

    @Override
    public long most(long span) {
      return Nanos.times(intervals(span, nanos), max);
    }

    @Override
    public long length() {
      return nanos;
    }

    @Override
    public String text() {
      return "at most %s%s in any %s%s"
          .formatted(max, of.suffix(), Durations.format(nanos), whole(countsWhole));
    }
  }

  /**
   * At most {@code max} in each of the limiter's own windows, whose beginnings are at least {@code
   * nanos} apart: so at most {@code max * (ceil(W / nanos) + 1)} in any interval W.
   *
   * @param max the most in a window
   * @param nanos the length of a window
   * @param of what is counted
   */
  record PerWindow(long max, long nanos, Measure of) implements Promise {

    /** Checks that no component is null. */
    public PerWindow {
      requireNonNull(of);
    }

    @Override
    public long atOnce() {
      return max;
    }

    @Override
    public long most(long span) {
      return Nanos.times(Nanos.add(intervals(span, nanos), 1), max);
    }

    @Override
    public long length() {
      return nanos;
    }

    @Override
    public boolean countsWhole() {
      return false;
    }

    @Override
    public String text() {
      return "at most %s%s in each of its own %s windows: %1$s * (ceil(W / %3$s) + 1) in any W"
          .formatted(max, of.suffix(), Durations.format(nanos));
    }
  }

  /**
   * At most {@code max(burst, largest cost) + (W + slack) / T} in any interval W, where T is the
   * time per permit.
   *
   * @param burst how much may go at once
   * @param rate how fast the bucket is refilled
   * @param slackNanos how much lateness the next release makes up for
   * @param of what is counted
   * @param countsWhole whether the peer may count at any instant between start and end
   */
  record Refilled(long burst, Rate rate, long slackNanos, Measure of, boolean countsWhole)
      implements Promise {

    /** Checks that no component is null. */
    public Refilled {
      requireNonNull(rate);
      requireNonNull(of);
    }

    @Override
    public long atOnce() {
      return burst;
    }

    @Override
    public long most(long span) {
      return Nanos.add(burst, rate.permitsIn(Nanos.add(span, slackNanos)));
    }

    /** The time that an empty bucket takes to be full. */
    @Override
    public long length() {
      return Nanos.add(new EmissionInterval(rate).ceil(burst), slackNanos);
    }

    @Override
    public long interval() {
      return rate.nanos();
    }

    @Override
    public String text() {
      String most = countsWhole ? String.valueOf(burst) : "max(" + burst + ", largest cost)";
      String span = slackNanos == 0 ? "W" : "(W + " + Durations.format(slackNanos) + ")";
      return "at most %s%s + %s * %s in any W%s"
          .formatted(most, of.suffix(), span, rate, whole(countsWhole));
    }
  }

  /**
   * Two starts are at least {@code nanos} apart.
   *
   * @param nanos the smallest gap
   * @param countsWhole whether the gap is from the end of one request to the start of the next
   */
  record Gap(long nanos, boolean countsWhole) implements Promise {
    @Override
    public long atOnce() {
      return 1;
    }

    @Override
    public long most(long span) {
      return intervals(span, nanos);
    }

    @Override
    public long length() {
      return nanos;
    }

    @Override
    public Measure of() {
      return Measure.CALLS;
    }

    @Override
    public String text() {
      if (nanos < 0) { // as an audit may find it
        return "requests overlap by at most " + Durations.format(-nanos);
      }
      return "%s %s %s"
          .formatted(
              countsWhole ? "at least" : "starts at least",
              Durations.format(nanos),
              countsWhole ? "from an end to the next start" : "apart");
    }
  }

  /**
   * At most {@code max} open at any instant, lost requests included.
   *
   * @param max the most that may be open
   * @param of what is counted
   * @param unansweredNanos how long after its start a lost request counts as open, at least
   */
  record Open(long max, Measure of, long unansweredNanos) implements Promise {

    /** Checks that no component is null. */
    public Open {
      requireNonNull(of);
    }

    @Override
    public long atOnce() {
      return max;
    }

    @Override
    public long most(long span) {
      return Long.MAX_VALUE;
    }

    /** A request that is over matters only if it was lost. */
    @Override
    public long length() {
      return unansweredNanos;
    }

    @Override
    public long interval() {
      return 0;
    }

    /** A promise about calls, which ignores requests that have ended. */
    public Open(long max) {
      this(max, Measure.CALLS, 0);
    }

    @Override
    public boolean countsWhole() {
      return true;
    }

    @Override
    public String text() {
      String lost = ", a lost one until " + Durations.format(unansweredNanos) + " after its start";
      return "at most %s%s open at any instant%s"
          .formatted(max, of.suffix(), unansweredNanos == 0 ? "" : lost);
    }
  }

  /**
   * At most {@code max} whose [start - e, end + e] overlaps a window of the calendar. Instants are
   * nanoseconds since 1970.
   *
   * @param max the most that may overlap a window
   * @param windows the windows
   * @param marginNanos e: the greatest difference between the peer's clock and ours
   * @param of what is counted
   */
  record PerCalendar(long max, CalendarWindows windows, long marginNanos, Measure of)
      implements Promise {

    /** Checks that no component is null. */
    public PerCalendar {
      requireNonNull(windows);
      requireNonNull(of);
    }

    @Override
    public long atOnce() {
      return max;
    }

    @Override
    public long most(long span) {
      long windows = intervals(Nanos.add(span, marginNanos), this.windows.length().shortest());
      return Nanos.times(Nanos.add(windows, 1), max);
    }

    @Override
    public long length() {
      return Nanos.add(windows.length().longest(), 2 * marginNanos);
    }

    @Override
    public long interval() {
      long nanos = windows.length().nanos();
      return nanos > 0 ? nanos : windows.length().longest(); // months differ
    }

    @Override
    public boolean followsCalendar() {
      return true;
    }

    @Override
    public boolean mayHaveTurned(Instant now, long nanos) {
      return windows.turn(now, Nanos.add(nanos, marginNanos), marginNanos);
    }

    @Override
    public boolean countsWhole() {
      return true;
    }

    @Override
    public String text() {
      return "at most %s%s in each %s%s, by a clock within %s of ours"
          .formatted(max, of.suffix(), windows, whole(true), Durations.format(marginNanos));
    }
  }

  /**
   * Another promise, of requests that are over at their end or at most {@code nanos} after their
   * start, whichever is earlier: the peer counts none later.
   *
   * @param promise the other promise, which counts whole requests
   * @param nanos that bound
   */
  record Counted(Promise promise, long nanos) implements Promise {

    /** Checks that no component is null. */
    public Counted {
      requireNonNull(promise);
    }

    @Override
    public Measure of() {
      return promise.of();
    }

    @Override
    public boolean countsWhole() {
      return promise.countsWhole();
    }

    @Override
    public boolean followsCalendar() {
      return promise.followsCalendar();
    }

    @Override
    public boolean mayHaveTurned(Instant now, long span) {
      return promise.mayHaveTurned(requireNonNull(now), span);
    }

    @Override
    public String text() {
      return promise.text() + " and at most " + Durations.format(nanos) + " after the start";
    }

    @Override
    public long atOnce() {
      return promise.atOnce();
    }

    @Override
    public long most(long span) {
      return promise.most(span);
    }

    @Override
    public long length() {
      return promise.length();
    }

    @Override
    public long interval() {
      return promise.interval();
    }
  }

  /** Returns how many intervals of {@code nanos} it takes to cover {@code span}. */
  private static long intervals(long span, long nanos) {
    return span <= 0 ? 1 : (span - 1) / nanos + 1;
  }

  private static String whole(boolean countsWhole) {
    return countsWhole ? ", counted by the peer at any time between start and end" : "";
  }
}
