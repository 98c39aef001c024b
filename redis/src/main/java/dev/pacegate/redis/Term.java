package dev.pacegate.redis;

import dev.pacegate.limit.Bucket;
import dev.pacegate.limit.Concurrent;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Margin;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Peer;
import dev.pacegate.limit.Rate;
import dev.pacegate.limit.Spacing;
import dev.pacegate.limit.Starts;
import dev.pacegate.limit.Window;
import dev.pacegate.time.Durations;
import java.time.Duration;
import java.util.Locale;

/**
 * One term of a limit as the store counts it. Spans are microseconds, rounded up.
 *
 * @param kind how units come back
 * @param measure the entry of a cost that it counts
 * @param capacity how many units it has
 * @param interval for how long a unit is spent after its request is over, at least
 * @param lost how long after its start a lost request may be counted
 * @param unanswered the same of a request of a process that is not heard of
 * @param refill how many units come back in {@code every}, one after the other; 0 if at once
 * @param every the interval of {@code refill}
 * @param tracks whether the store must know when requests are over
 */
record Term(
    Kind kind,
    Measure measure,
    long capacity,
    long interval,
    long lost,
    long unanswered,
    long refill,
    long every,
    boolean tracks) {

  /** How units come back. */
  enum Kind {
    /** An interval after their request. */
    WINDOW,
    /** With their request. */
    PLACES,
    /** At a rate. */
    BUCKET
  }

  /** For how long a place may be used before it is to be asked for again, times four. */
  private static final long PLACES_SPAN = 400_000;

  /** After what time a process that is not heard of has no request open any more. */
  private static final long USUAL_UNANSWERED = 10_000_000;

  private static final long SHORTEST = 10_000;
  private static final long LONGEST = Duration.ofDays(1).toNanos() / 1000;

  /** Numbers of this size are exact in a script. */
  private static final long LARGEST = 1L << 52;

  /**
   * Returns a term as the store counts it.
   *
   * @throws IllegalArgumentException if it cannot
   */
  static Term of(Limit term) {
    if (term instanceof Peer peer) {
      check(!peer.counted() && !peer.byHeaders(), term, "counted");
      check(!peer.spent(), term, "initial");
      return of(peer.limit(), peer.margin(), micros(peer.unansweredNanos()), term);
    }
    if (term instanceof Starts starts) {
      check(!starts.spent(), term, "initial");
      return of(starts.limit());
    }
    return of(term, Margin.NONE, 0, term);
  }

  private static Term of(Limit limit, Margin margin, long unanswered, Limit term) {
    boolean tracks = term instanceof Peer;
    if (limit instanceof Window window) {
      Rate rate = window.rate();
      return window(
          window.of(), rate.permits(), margin.longer(rate.nanos()), unanswered, tracks, term);
    } else if (limit instanceof Spacing spacing) {
      long gap = margin.longer(spacing.gapNanos());
      return window(Measure.CALLS, 1, gap, unanswered, tracks, term);
    } else if (limit instanceof Bucket bucket) {
      return bucket(bucket, margin, unanswered, tracks, term);
    } else if (limit instanceof Concurrent concurrent) {
      return places(concurrent);
    }
    throw new IllegalArgumentException(
        "processes can share windows, buckets, spacings and concurrent, alone or joined by &, not "
            + term);
  }

  private static Term window(
      Measure of, long permits, long nanos, long unanswered, boolean tracks, Limit term) {
    long interval = micros(nanos);
    checkSpan("the interval", interval, term);
    checkSize(permits, term);
    return new Term(Kind.WINDOW, of, permits, interval, unanswered, unanswered, 0, 0, tracks);
  }

  private static Term places(Concurrent limit) {
    long stated = micros(limit.unansweredNanos());
    checkSize(limit.max(), limit);
    return new Term(
        Kind.PLACES,
        limit.of(),
        limit.max(),
        0,
        stated,
        stated == 0 ? USUAL_UNANSWERED : stated,
        0,
        0,
        true);
  }

  private static Term bucket(
      Bucket bucket, Margin margin, long unanswered, boolean tracks, Limit term) {
    check(bucket.debt() == 0, term, "pay");
    check(bucket.slackNanos() == 0, term, "slack");
    check(bucket.initial() == Bucket.Initial.USUAL, term, "initial");
    long refill = bucket.rate().permits();
    long every = micros(bucket.rate().nanos());
    long times = every < 1_000_000 ? 1_000_000 / every + 1 : 1; // so that a share of it is exact
    refill = refill * times;
    every = every * times;
    every += (every * margin.millionths() + 999_999) / 1_000_000;
    checkSize(Math.multiplyHigh(bucket.burst(), every) == 0 ? bucket.burst() * every : -1, term);
    var made =
        new Term(
            Kind.BUCKET,
            bucket.of(),
            bucket.burst(),
            micros(margin.nanos()),
            unanswered,
            unanswered,
            refill,
            every,
            tracks);
    checkSpan("the time in which it is filled", made.span(), term);
    return made;
  }

  private static void checkSpan(String what, long micros, Limit term) {
    if (micros < SHORTEST || micros > LONGEST + LONGEST / 100) {
      throw new IllegalArgumentException(
          what
              + " of a limit that processes share must be from 10ms to 1d, not "
              + Durations.decimal(micros * 1000)
              + ": "
              + term);
    }
  }

  private static void checkSize(long units, Limit term) {
    if (units < 0 || units > LARGEST) {
      throw new IllegalArgumentException("too many permits to share between processes: " + term);
    }
  }

  private static void check(boolean supported, Limit limit, String key) {
    if (!supported) {
      throw new IllegalArgumentException(
          "a limit that processes share cannot have " + key + "=: " + limit);
    }
  }

  static long micros(long nanos) {
    return -Math.floorDiv(-nanos, 1000L);
  }

  /** Returns the time in which all of it comes back. */
  long span() {
    return switch (kind) {
      case WINDOW -> interval;
      case PLACES -> PLACES_SPAN;
      case BUCKET -> -Math.floorDiv(-capacity * every, refill);
    };
  }

  /** Returns for how long a unit is spent after it was used last, if nothing is heard of it. */
  long spentFor() {
    return unanswered + interval;
  }

  /** Returns whether a unit may be used again as soon as its request is over. */
  boolean isReused() {
    return kind == Kind.PLACES;
  }

  /** Returns whether this term goes on with what that one counted. */
  boolean follows(Term other) {
    return kind == other.kind && measure.equals(other.measure);
  }

  /** Returns what the scripts compare: terms of the same kind follow each other. */
  String name() {
    String of = measure.name() == null ? measure.entry().name() : "of " + measure.name();
    return (kind.name() + ' ' + of).toLowerCase(Locale.ROOT);
  }
}
