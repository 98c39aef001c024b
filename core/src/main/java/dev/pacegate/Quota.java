package dev.pacegate;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a peer has said of one of its limits. Whatever it has not said is empty.
 *
 * @param name the peer's name of it, or nothing
 * @param limit how much it allows in a window
 * @param remaining how much may yet go in this one
 * @param used how much has gone in this one
 * @param window how long a window is
 * @param reset how long it is until there is more, as of when the peer said so
 */
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

  /** Returns what is known of nothing but how much remains. */
  public static Quota remaining(long remaining) {
    return new Quota(
        "",
        OptionalLong.empty(),
        OptionalLong.of(remaining),
        OptionalLong.empty(),
        Optional.empty(),
        Optional.empty());
  }
}
