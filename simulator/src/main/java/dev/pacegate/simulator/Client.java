package dev.pacegate.simulator;

import dev.pacegate.limit.Limit;
import dev.pacegate.time.Durations;
import java.util.List;

/**
 * The program that sends: an immutable value.
 *
 * @param demand when its requests arise
 * @param leastCost the lowest cost of a request
 * @param mostCost the highest cost of a request
 * @param timeOut how long it waits for an answer, in nanoseconds
 * @param pauses at how many releases the whole process stands still before it sends that request
 * @param pause how long it then stands still
 * @param tellsSending whether it tells its limiter when it sends a request that was held up so
 * @param lateness how late its timers are
 * @param changes limits that replace the first one
 */
public record Client(
    Demand demand,
    long leastCost,
    long mostCost,
    long timeOut,
    Odds pauses,
    Delay pause,
    boolean tellsSending,
    Delay lateness,
    List<Change> changes) {

  /** The default time-out, in nanoseconds: 30 s. */
  public static final long TIME_OUT = 30_000_000_000L;

  /**
   * A change of the limit.
   *
   * @param at when, in nanoseconds
   * @param limit the new limit
   */
  public record Change(long at, Limit limit) {}

  /** Checks the ranges. */
  public Client {
    changes = List.copyOf(changes);
    if (leastCost < 1 || mostCost < leastCost) {
      throw new IllegalArgumentException(
          "a cost must be at least 1, the lower first: " + leastCost + ".." + mostCost);
    }
    if (timeOut < 1) {
      throw new IllegalArgumentException(
          "a time-out must be longer than 0: " + Durations.format(timeOut));
    }
  }

  /** Returns a client that always has a request of cost 1 waiting and is never disturbed. */
  public static Client busy() {
    return new Client(
        new Demand.Always(), 1, 1, TIME_OUT, Odds.NEVER, Delay.NONE, false, Delay.NONE, List.of());
  }
}
