package dev.pacegate;

import static java.util.Objects.requireNonNull;

import dev.pacegate.time.Durations;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A refusal as the peer's answer states it: an immutable value.
 *
 * @param cause why the peer refused the request
 * @param retryAfter for how long the peer asks for no further request; empty if it does not say
 * @param source the name of the header that states {@code retryAfter}; empty if none does
 * @param quotas the quotas that the answer reports
 */
public record Rejection(
    Cause cause, Optional<Duration> retryAfter, String source, List<Quota> quotas) {

  /** Why a peer refused a request. */
  public enum Cause {
    /** There were too many requests. */
    LIMIT,
    /** The peer could not serve it, which says nothing of a limit. */
    OVERLOAD
  }

  /** Copies the list, and checks that no component is null or negative. */
  public Rejection {
    requireNonNull(cause);
    requireNonNull(source);
    quotas = List.copyOf(quotas);
    if (retryAfter.isPresent() && retryAfter.get().isNegative()) {
      throw new IllegalArgumentException(
          "retryAfter must not be negative: " + Durations.decimal(retryAfter.get()));
    }
  }
}
