package dev.pacegate.history;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.spi.Meter;

/**
 * What is known of a request, or of several merged into one entry, as of the latest of them.
 *
 * @param kind what is known
 * @param first when the first of them was released
 * @param since since when the request was first in the queue
 * @param start when the last of them was released
 * @param end when the last of them ended, or was corrected; its start if no end is known
 * @param cost the cost of all of them
 * @param charged of a correction: the cost charged before
 */
record Entry(Kind kind, long first, long since, long start, long end, Cost cost, Cost charged) {

  /** What is known of a request. */
  enum Kind {
    /** When it started: the limit needed no ends. */
    STARTED,
    /** When it ended. */
    ENDED,
    /** When it was given up without an answer. */
    LOST,
    /** A start for limits that count starts alone: sent late, or not sent at all. */
    LATE,
    /** What it really costs. */
    SETTLED
  }

  static Entry started(long since, long start, Cost cost) {
    return new Entry(Kind.STARTED, start, since, start, start, cost, Cost.none());
  }

  static Entry over(Kind kind, long start, long end, Cost cost) {
    return new Entry(kind, start, start, start, end, cost, Cost.none());
  }

  static Entry settled(long start, long now, Cost charged, Cost actual) {
    return new Entry(Kind.SETTLED, start, start, start, now, actual, charged);
  }

  boolean isRelease() {
    return kind != Kind.SETTLED;
  }

  /** Returns whether both can be merged without losing what is known of them. */
  boolean isTheSameAs(Entry other) {
    return kind == other.kind
        && isRelease()
        && start == other.start
        && first == other.first
        && since == other.since
        && end == other.end;
  }

  /** Merges both, as of the later of each instant. */
  Entry and(Entry later) {
    Kind both = kind == later.kind ? kind : Kind.LOST;
    long latest = start - later.start >= 0 ? start : later.start;
    long end = this.end - later.end >= 0 ? this.end : later.end;
    return new Entry(
        both,
        first - later.first <= 0 ? first : later.first,
        latest,
        latest,
        end,
        cost.plus(later.cost),
        Cost.none());
  }

  /**
   * Returns the increase of a correction, as of when it was known; null cost if it is a decrease.
   */
  Entry asRelease() {
    return isRelease() ? this : started(end, end, cost.beyond(charged));
  }

  Entry withCost(Cost other) {
    return new Entry(kind, first, since, start, end, other, charged);
  }

  /** Replays the start, at its own instant. */
  void beginIn(Meter meter) {
    if (kind == Kind.SETTLED) {
      if (!meter.tracks()) {
        meter.settle(start, end, charged, cost);
      }
    } else if (kind != Kind.LATE || !meter.tracks()) {
      meter.release(since, start, cost);
    }
  }

  /** Returns whether it stands for requests that a meter of ends is told. */
  boolean hasEnd() {
    return isRelease() && kind != Kind.LATE;
  }

  /** Replays the end. A request of which only the start is known may never be answered. */
  void endIn(Meter meter) {
    if (meter.tracks() && hasEnd()) {
      meter.end(start, end, cost, kind == Kind.ENDED ? Outcome.ANSWERED : Outcome.LOST);
    }
  }

  /** Returns when it starts in a replay. */
  long beginsAt() {
    return kind == Kind.SETTLED ? end : start;
  }
}
