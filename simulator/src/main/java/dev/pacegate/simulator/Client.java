package dev.pacegate.simulator;

import dev.pacegate.limit.Limit;
import dev.pacegate.time.Durations;
import java.util.List;

/**
 * The program that sends.
 *
 * @param demand when its requests come up
 * @param leastCost the least that one costs
 * @param mostCost the most that one costs
 * @param timeOut how long it waits for an answer, in nanoseconds
 * @param pauses at how many releases the whole process stands still, before that request is sent
 * @param pause for how long
 * @param lateness by how much its timers are late
 * @param changes limits that replace the first one
 */
public record Client(
    Demand demand,
    long leastCost,
    long mostCost,
    long timeOut,
    Odds pauses,
    Delay pause,
    Delay lateness,
    List<Change> changes) {

  /** How long is waited for an answer, unless stated: half a minute. */
  public static final long TIME_OUT = 30_000_000_000L;

  /**
   * A limit that replaces another.
   *
   * @param at when, in nanoseconds
   * @param limit the new one
   */
  public record Change(long at, Limit limit) {}

  /** Checks the ranges. */
  public Client {
    changes = List.copyOf(changes);
    if (leastCost < 1 || mostCost < leastCost) {
      throw new IllegalArgumentException(
          "a cost goes from 1, the smaller first: " + leastCost + ".." + mostCost);
    }
    if (timeOut < 1) {
      throw new IllegalArgumentException(
          "a time-out must be longer than 0: " + Durations.format(timeOut));
    }
  }

  /** Returns a client that always has a request of cost 1 and is disturbed by nothing. */
  public static Client busy() {
    return new Client(
        new Demand.Always(), 1, 1, TIME_OUT, Odds.NEVER, Delay.NONE, Delay.NONE, List.of());
  }
}
