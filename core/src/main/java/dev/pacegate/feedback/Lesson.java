package dev.pacegate.feedback;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Quota;
import dev.pacegate.time.Durations;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What one answer says of the peer's limits: an immutable value.
 *
 * @param verdict what the peer did with the request
 * @param retryAfter for how long the peer asks for no further request
 * @param source the name of the header that states {@code retryAfter}; empty if none does
 * @param date the instant of the answer by the peer's clock
 * @param quotas the quotas that the peer reports
 */
public record Lesson(
    Verdict verdict,
    Optional<Duration> retryAfter,
    String source,
    Optional<Instant> date,
    List<Quota> quotas) {

  /** What the peer did with a request. The later constant is the weightier one. */
  public enum Verdict {
    /** The peer says nothing of too many requests. */
    ACCEPTED,
    /** The peer cannot serve the request now, and does not say that a limit is the reason. */
    OVERLOADED,
    /** The peer refused the request because there were too many. */
    REFUSED
  }

  /** An answer that says nothing of limits. */
  public static final Lesson NOTHING = of(List.of());

  /** Copies the list, and checks that no component is null, and no wait negative. */
  public Lesson {
    requireNonNull(verdict);
    if (retryAfter.isPresent() && retryAfter.get().isNegative()) {
      throw new IllegalArgumentException(
          "retryAfter must not be negative: " + Durations.decimal(retryAfter.get()));
    }
    requireNonNull(source);
    requireNonNull(date);
    quotas = List.copyOf(quotas);
  }

  static Lesson of(List<Quota> quotas) {
    return new Lesson(Verdict.ACCEPTED, Optional.empty(), "", Optional.empty(), quotas);
  }

  static Lesson after(Duration wait, String source) {
    return new Lesson(Verdict.ACCEPTED, Optional.of(wait), source, Optional.empty(), List.of());
  }

  Lesson verdict(Verdict verdict) {
    return new Lesson(verdict, retryAfter, source, date, quotas);
  }

  Lesson date(Optional<Instant> date) {
    return new Lesson(verdict, retryAfter, source, date, quotas);
  }

  Lesson quotas(List<Quota> quotas) {
    return new Lesson(verdict, retryAfter, source, date, quotas);
  }

  /** Returns whether the peer refused the request because there were too many. */
  public boolean refused() {
    return verdict == Verdict.REFUSED;
  }

  /** Returns both combined: the weightier verdict, and of two waits the longer one. */
  public Lesson and(Lesson other) {
    var both = new ArrayList<Quota>(quotas);
    both.addAll(other.quotas);
    Lesson longer = other.asksForMoreThan(this) ? other : this;
    return new Lesson(
        verdict.compareTo(other.verdict) > 0 ? verdict : other.verdict,
        longer.retryAfter,
        longer.source,
        date.isPresent() ? date : other.date,
        both);
  }

  private boolean asksForMoreThan(Lesson other) {
    return retryAfter.isPresent()
        && (other.retryAfter.isEmpty() || retryAfter.get().compareTo(other.retryAfter.get()) > 0);
  }
}
