package dev.pacegate;

import static java.util.Objects.requireNonNull;

import dev.pacegate.time.Durations;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A limit as the peer reported it in an answer: an immutable value. What the peer did not report is
 * empty: {@code Quota.remaining(3).withWindow(ofMinutes(1))}.
 *
 * @param name the peer's name for it, or an empty string
 * @param limit how many units a window allows
 * @param remaining how many units are left in the current window
 * @param used how many units are used in the current window
 * @param window the length of a window
 * @param reset the time from the answer until more is available
 * @param cost the name of the cost that it counts, {@code tokens}; empty for requests
 */
@CheckReturnValue
public record Quota(
    String name,
    OptionalLong limit,
    OptionalLong remaining,
    OptionalLong used,
    Optional<Duration> window,
    Optional<Duration> reset,
    String cost) {

  /** Checks that no component is null or negative. */
  public Quota {
    requireNonNull(name);
    checked("limit", limit);
    checked("remaining", remaining);
    checked("used", used);
    checked("window", window);
    checked("reset", reset);
    requireNonNull(cost);
  }

  private static void checked(String what, OptionalLong amount) {
    if (amount.isPresent() && amount.getAsLong() < 0) {
      throw new IllegalArgumentException(what + " must not be negative: " + amount.getAsLong());
    }
  }

  private static void checked(String what, Optional<Duration> span) {
    if (span.isPresent() && span.get().isNegative()) {
      throw new IllegalArgumentException(
          what + " must not be negative: " + Durations.decimal(span.get()));
    }
  }

  /** Returns a quota of which only the remaining units are known. */
  public static Quota remaining(long remaining) {
    return of(OptionalLong.of(remaining), OptionalLong.empty());
  }

  /** Returns a quota of which only the used units are known. */
  public static Quota used(long used) {
    return of(OptionalLong.empty(), OptionalLong.of(used));
  }

  private static Quota of(OptionalLong remaining, OptionalLong used) {
    return new Quota(
        "", OptionalLong.empty(), remaining, used, Optional.empty(), Optional.empty(), "");
  }

  /** Returns this quota with the peer's name for it. */
  public Quota withName(String name) {
    return new Quota(name, limit, remaining, used, window, reset, cost);
  }

  /** Returns this quota with {@code limit} units in a window. */
  public Quota withLimit(long limit) {
    return new Quota(name, OptionalLong.of(limit), remaining, used, window, reset, cost);
  }

  /** Returns this quota with windows of that length. */
  public Quota withWindow(Duration window) {
    return new Quota(name, limit, remaining, used, Optional.of(window), reset, cost);
  }

  /** Returns this quota with more available after {@code reset}. */
  public Quota withReset(Duration reset) {
    return new Quota(name, limit, remaining, used, window, Optional.of(reset), cost);
  }

  /** Returns this quota as one of a named cost, {@code tokens}. */
  public Quota withCost(String cost) {
    return new Quota(name, limit, remaining, used, window, reset, cost);
  }
}
