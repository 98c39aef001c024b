package dev.pacegate;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a peer has said of one of its limits. Whatever it has not said is empty: {@code
 * Quota.remaining(3).withWindow(ofMinutes(1))}.
 *
 * @param name the peer's name of it, or nothing
 * @param limit how much it allows in a window
 * @param remaining how much may yet go in this one
 * @param used how much has gone in this one
 * @param window how long a window is
 * @param reset how long it is until there is more, as of when the peer said so
 */
@CheckReturnValue
public record Quota(
    String name,
    OptionalLong limit,
    OptionalLong remaining,
    OptionalLong used,
    Optional<Duration> window,
    Optional<Duration> reset) {

  /** Checks that nothing is null or negative. */
  public Quota {
    requireNonNull(name);
    checked("limit", limit);
    checked("remaining", remaining);
    checked("used", used);
    checked("window", window);
    checked("reset", reset);
  }

  private static void checked(String what, OptionalLong amount) {
    if (amount.isPresent() && amount.getAsLong() < 0) {
      throw new IllegalArgumentException(what + " must not be negative: " + amount.getAsLong());
    }
  }

  private static void checked(String what, Optional<Duration> span) {
    if (span.isPresent() && span.get().isNegative()) {
      throw new IllegalArgumentException(what + " must not be negative: " + span.get());
    }
  }

  /** Returns a quota of which nothing is known but how much remains. */
  public static Quota remaining(long remaining) {
    return of(OptionalLong.of(remaining), OptionalLong.empty());
  }

  /** Returns a quota of which nothing is known but how much has gone. */
  public static Quota used(long used) {
    return of(OptionalLong.empty(), OptionalLong.of(used));
  }

  private static Quota of(OptionalLong remaining, OptionalLong used) {
    return new Quota("", OptionalLong.empty(), remaining, used, Optional.empty(), Optional.empty());
  }

  /** Returns this quota under the peer's name of it. */
  public Quota withName(String name) {
    return new Quota(name, limit, remaining, used, window, reset);
  }

  /** Returns this quota, of {@code limit} in a window. */
  public Quota withLimit(long limit) {
    return new Quota(name, OptionalLong.of(limit), remaining, used, window, reset);
  }

  /** Returns this quota, of windows that are so long. */
  public Quota withWindow(Duration window) {
    return new Quota(name, limit, remaining, used, Optional.of(window), reset);
  }

  /** Returns this quota, with more to come in {@code reset}. */
  public Quota withReset(Duration reset) {
    return new Quota(name, limit, remaining, used, window, Optional.of(reset));
  }
}
