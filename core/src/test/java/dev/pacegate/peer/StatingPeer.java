package dev.pacegate.peer;

import java.util.ArrayDeque;
import java.util.SplittableRandom;

/**
 * A simulated peer that allows so many requests per interval, and says in its headers how much is
 * left. It refuses what is too much, or, if it counts a request after it has begun to answer it,
 * notes that too much was used.
 */
final class StatingPeer {

  /** When it counts a request. */
  enum Counts {
    ON_ARRIVAL,
    BEFORE_HEADERS,
    AFTER_BODY,
    /** Anywhere between arrival and end. */
    AT_RANDOM,
    /** Most on arrival, one in five when its body has ended. */
    SOME_AFTER_BODY
  }

  /** What it counts in. */
  enum Windows {
    /** Any interval: it remembers each request. */
    SLIDING,
    /** An interval that begins with a request. */
    FROM_FIRST,
    /** Intervals of the clock. */
    CALENDAR
  }

  private final int limit;
  private final long interval;
  private final Counts counts;
  private final Windows windows;
  private final long phase;
  private final ArrayDeque<Long> counted = new ArrayDeque<>();
  private long begun = Long.MIN_VALUE; // the present window

  int refused;

  StatingPeer(int limit, long interval, Counts counts, Windows windows, SplittableRandom random) {
    this.limit = limit;
    this.interval = interval;
    this.counts = counts;
    this.windows = windows;
    this.phase = random.nextLong(interval);
  }

  /** Returns when it counts a request that arrives, gets its headers and ends at those instants. */
  long countsAt(long arrival, long headers, long end, SplittableRandom random) {
    return switch (counts) {
      case ON_ARRIVAL -> arrival;
      case BEFORE_HEADERS -> headers;
      case AFTER_BODY -> end;
      case AT_RANDOM -> random.nextLong(arrival, end + 1);
      case SOME_AFTER_BODY -> random.nextInt(5) == 0 ? end : arrival;
    };
  }

  /** Counts a request; returns false if that is one too many. */
  boolean count(long now) {
    forget(now);
    if (counted.size() >= limit) {
      refused++;
      return false;
    }
    if (counted.isEmpty() && windows == Windows.FROM_FIRST) {
      begun = now;
    }
    counted.add(now);
    return true;
  }

  int used(long now) {
    forget(now);
    return counted.size();
  }

  private void forget(long now) {
    switch (windows) {
      case SLIDING -> {
        while (!counted.isEmpty() && counted.peek() <= now - interval) {
          counted.remove();
        }
      }
      case FROM_FIRST -> {
        if (!counted.isEmpty() && now - begun >= interval) {
          counted.clear();
        }
      }
      case CALENDAR -> {
        long window = Math.floorDiv(now + phase, interval);
        if (window != begun) {
          counted.clear();
        }
        begun = window;
      }
    }
  }
}
