package dev.pacegate.redis;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Peer;
import dev.pacegate.limit.Rate;
import dev.pacegate.limit.Window;
import java.time.Duration;
import java.util.List;

/**
 * A limit as the store counts it. Spans are microseconds, rounded up.
 *
 * @param limit the limit
 * @param measure the entry of a cost that it counts
 * @param permits how many units it has
 * @param interval for how long a unit is spent after its request is over
 * @param use for how long a lease may be used
 * @param horizon how far ahead units may be reserved
 * @param unanswered how long after its start a lost request may be counted; 0 for a limit of starts
 * @param partition for how long a server that was replaced may go on granting
 */
record Terms(
    Limit limit,
    Measure measure,
    long permits,
    long interval,
    long use,
    long horizon,
    long unanswered,
    long partition) {

  private static final long LONGEST_HORIZON = 2_000_000;
  private static final long SHORTEST_USE = 100_000;
  private static final Duration SHORTEST = Duration.ofMillis(10);
  private static final Duration LONGEST = Duration.ofDays(1);

  /**
   * Returns the terms of a window, of starts or as a peer counts it.
   *
   * @throws IllegalArgumentException if the store cannot count the limit
   */
  static Terms of(Limit limit, Duration partition) {
    if (limit instanceof Window window) {
      return of(limit, window, window.rate(), 0, partition);
    }
    if (limit instanceof Peer peer && peer.limit() instanceof Window window) {
      check(!peer.counted(), limit, "counted");
      check(!peer.spent(), limit, "initial");
      Rate slower = new Rate(window.rate().permits(), peer.margin().longer(window.rate().nanos()));
      return of(limit, window, slower, micros(peer.unansweredNanos()), partition);
    }
    throw new IllegalArgumentException(
        "a limit of many processes is one window, such as 10/1m or peer(10/1m), not " + limit);
  }

  private static Terms of(
      Limit limit, Window window, Rate rate, long unanswered, Duration partition) {
    Duration interval = Duration.ofNanos(window.rate().nanos());
    if (interval.compareTo(SHORTEST) < 0 || interval.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "the interval of a limit of many processes must be from 10ms to 1d: " + limit);
    }
    long micros = micros(rate.nanos());
    long horizon = Math.min(micros / 4, LONGEST_HORIZON);
    return new Terms(
        limit,
        window.of(),
        rate.permits(),
        micros,
        Math.max(horizon, SHORTEST_USE),
        horizon,
        unanswered,
        micros(partition.toNanos()));
  }

  private static void check(boolean supported, Limit limit, String key) {
    if (!supported) {
      throw new IllegalArgumentException(
          "a limit of many processes cannot have " + key + "= yet: " + limit);
    }
  }

  private static long micros(long nanos) {
    return -Math.floorDiv(-nanos, 1000L);
  }

  /** Returns whether the store must know when requests are over. */
  boolean tracks() {
    return limit instanceof Peer;
  }

  /**
   * Returns for how long nothing may be granted once the store cannot know what was: a lease that
   * was reserved as far ahead as can be, used last of all, for a request that was lost and counted
   * last of all, and an interval after that.
   */
  long fence() {
    return horizon + use + unanswered + interval + partition;
  }

  /** Returns the limit as the scripts take it. */
  List<String> arguments() {
    return List.of(
        limit.toString(),
        Long.toString(permits),
        Long.toString(interval),
        Long.toString(use),
        Long.toString(horizon),
        Long.toString(unanswered),
        Long.toString(fence()));
  }
}
