package dev.pacegate.feedback;

import java.util.ArrayDeque;
import java.util.Deque;

/** How a peer counts one of its limits: written without the limits that it tests. */
final class PeerCount {

  /** What a peer counts by. */
  enum Kind {
    /** Windows of the calendar. */
    FIXED,
    /** A window that the first request after the last one opens. */
    FIRST_HIT,
    /** A log of what was accepted. */
    SLIDING,
    /** A bucket that is full at first. */
    BUCKET,
    /** The same by a clock of whole seconds. */
    BUCKET_OF_SECONDS
  }

  private static final long SECOND = 1_000_000_000;

  private final Kind kind;
  private final long interval;
  private final long phase;
  private final Deque<Long> counted = new ArrayDeque<>();
  private long max;
  private long window = Long.MIN_VALUE; // when it began
  private long inWindow;
  private double level;
  private long filledAt;

  PeerCount(Kind kind, long max, long interval, long phase) {
    this.kind = kind;
    this.max = max;
    this.level = max;
    this.interval = interval;
    this.phase = phase;
  }

  long max() {
    return max;
  }

  long interval() {
    return interval;
  }

  void change(long other) {
    max = other;
  }

  /** Returns how many more requests are accepted now. */
  long left(long now) {
    return switch (kind) {
      case FIXED -> {
        turn(now, now - Math.floorMod(now + phase, interval));
        yield max - inWindow;
      }
      case FIRST_HIT -> {
        turn(now, now);
        yield max - inWindow;
      }
      case SLIDING -> {
        while (!counted.isEmpty() && counted.peek() <= now - interval) {
          counted.remove();
        }
        yield max - counted.size();
      }
      case BUCKET -> fill(now);
      case BUCKET_OF_SECONDS -> fill(now - Math.floorMod(now + phase, SECOND));
    };
  }

  private long fill(long now) {
    double rate = (double) max / (double) interval;
    level = Math.min((double) max, level + (double) (now - filledAt) * rate);
    filledAt = now;
    return (long) level;
  }

  private void turn(long now, long begin) {
    if (window == Long.MIN_VALUE || now - window >= interval) {
      window = begin;
      inWindow = 0;
    }
  }

  /** Counts a request that is accepted now. */
  void count(long now) {
    assert left(now) > 0;
    inWindow++;
    level--;
    if (kind == Kind.SLIDING) {
      counted.add(now);
    }
  }

  /** Returns how long it takes until more is accepted, or a window is over. */
  long reset(long now) {
    left(now);
    return switch (kind) {
      case FIXED, FIRST_HIT -> window + interval - now;
      case SLIDING -> counted.isEmpty() ? 0 : counted.peek() + interval - now;
      case BUCKET, BUCKET_OF_SECONDS ->
          (long) ((1 - Math.min(1, level)) * (double) interval / (double) max);
    };
  }
}
