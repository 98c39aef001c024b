package dev.pacegate;

import static java.util.Objects.requireNonNull;

import dev.pacegate.time.Durations;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What one answer of the peer says of its limits: an immutable value. {@code
 * PeerAnswer.of(PeerVerdict.REFUSED).withRetryAfter(ofSeconds(3), "RetryInfo")}.
 *
 * @param verdict what the peer did with the request
 * @param retryAfter for how long the peer asks for no further request; empty if it does not say
 * @param source what states {@code retryAfter}, such as the name of a header; empty if nothing does
 * @param date the instant of the answer by the peer's clock
 * @param quotas the quotas that the peer reports
 */
@CheckReturnValue
public record PeerAnswer(
    PeerVerdict verdict,
    Optional<Duration> retryAfter,
    String source,
    Optional<Instant> date,
    List<Quota> quotas) {

  /** The answer to a request that was accepted, without a word about limits. */
  public static final PeerAnswer NOTHING = of(PeerVerdict.ACCEPTED);

  /** Copies the list, and checks that no component is null, and no wait negative. */
  public PeerAnswer {
    requireNonNull(verdict);
    if (retryAfter.isPresent() && retryAfter.get().isNegative()) {
      throw new IllegalArgumentException(
          "retryAfter must not be negative: " + Durations.decimal(retryAfter.get()));
    }
    requireNonNull(source);
    requireNonNull(date);
    quotas = List.copyOf(quotas);
  }

  /** Returns an answer that says no more than that. */
  public static PeerAnswer of(PeerVerdict verdict) {
    return new PeerAnswer(verdict, Optional.empty(), "", Optional.empty(), List.of());
  }

  /** Returns this answer with another verdict. */
  public PeerAnswer withVerdict(PeerVerdict verdict) {
    return new PeerAnswer(verdict, retryAfter, source, date, quotas);
  }

  /**
   * Returns this answer with a wait that the peer asks for.
   *
   * @param source what states it, such as the name of a header; empty if nothing does
   * @throws IllegalArgumentException if {@code wait} is negative
   */
  public PeerAnswer withRetryAfter(Duration wait, String source) {
    return new PeerAnswer(verdict, Optional.of(wait), source, date, quotas);
  }

  /** Returns this answer with its instant by the peer's clock. */
  public PeerAnswer withDate(Instant date) {
    return new PeerAnswer(verdict, retryAfter, source, Optional.of(date), quotas);
  }

  /** Returns this answer with other quotas. */
  public PeerAnswer withQuotas(List<Quota> quotas) {
    return new PeerAnswer(verdict, retryAfter, source, date, quotas);
  }

  /** Returns whether the peer refused the request because there were too many. */
  public boolean refused() {
    return verdict == PeerVerdict.REFUSED;
  }

  /** Returns both combined: the weightier verdict, and of two waits the longer one. */
  public PeerAnswer and(PeerAnswer other) {
    if (other.equals(NOTHING)) { // as in most answers
      return this;
    }
    if (equals(NOTHING)) {
      return other;
    }
    var both = new ArrayList<Quota>(quotas);
    both.addAll(other.quotas);
    PeerAnswer longer = other.asksForMoreThan(this) ? other : this;
    return new PeerAnswer(
        verdict.compareTo(other.verdict) > 0 ? verdict : other.verdict,
        longer.retryAfter,
        longer.source,
        date.isPresent() ? date : other.date,
        both);
  }

  private boolean asksForMoreThan(PeerAnswer other) {
    return retryAfter.isPresent()
        && (other.retryAfter.isEmpty() || retryAfter.get().compareTo(other.retryAfter.get()) > 0);
  }
}
