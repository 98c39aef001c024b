package dev.pacegate.feedback;

import static java.util.Objects.requireNonNull;

import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerVerdict;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Reads what an answer says of the peer's limits. A value that makes no sense (negative, not a
 * number, a wait of more than 400 days) is ignored, never guessed; an amount that is too large is
 * capped. The readers made here ignore the quotas of an accepted answer that a cache had stored
 * ({@code Age}). Thread-safe.
 */
@FunctionalInterface
public interface AnswerReader {

  /** Returns what {@code answer} says. */
  PeerAnswer read(Answer answer);

  /** Returns a reader that combines both. */
  default AnswerReader and(AnswerReader other) {
    return Readers.both(this, requireNonNull(other));
  }

  /**
   * Returns the standard reader, of the headers in common use: see docs/headers.md. Status 429,
   * 418, 420, 430 and 509 are {@link #refusals}; 503 and 529 are {@link #overloads}, unless a quota
   * has nothing left or a header says that a limit is the reason. 403 is a refusal in these cases,
   * and if a wait is stated; 400 if AWS says that it throttles. It logs headers that speak of a
   * rate limit and that neither it nor a reader combined with it understands: each name once, and
   * those of an answer in one line.
   */
  static AnswerReader standard() {
    return StandardHeaders.READER;
  }

  /** Returns a reader to which these statuses mean that there were too many requests. */
  static AnswerReader refusals(Integer... statuses) {
    return Readers.of(new Statuses(Set.of(statuses), PeerVerdict.REFUSED));
  }

  /** Returns a reader to which these statuses mean that the peer cannot serve the request now. */
  static AnswerReader overloads(Integer... statuses) {
    return Readers.of(new Statuses(Set.of(statuses), PeerVerdict.OVERLOADED));
  }

  /** Returns a reader of {@code Retry-After} (RFC 9110). */
  static AnswerReader retryAfter() {
    return retryAfter("Retry-After");
  }

  /**
   * Returns a reader of a header that asks for a wait: seconds; if the number is too large for
   * those, seconds or milliseconds since 1970; parts with units, {@code 6m0s}; or a date. Instants
   * are compared with the answer's own {@code Date} if it has one. Of several values the longest
   * counts; zero and the past are no wait.
   */
  static AnswerReader retryAfter(String header) {
    return Readers.of(new WaitHeader(requireNonNull(header), HeaderValues::wait));
  }

  /**
   * Returns a reader of {@code RateLimit} and {@code RateLimit-Policy}
   * (draft-ietf-httpapi-ratelimit-headers, 7 to 10). A policy in another unit than requests is a
   * quota of the cost of that name.
   */
  static AnswerReader rateLimit() {
    return Readers.of(new RateLimitFields());
  }

  /**
   * Returns a reader of {@code Limit} or {@code Max}, {@code Remaining}, {@code Used} or {@code
   * Observed}, {@code Reset}, {@code ResetTime} or {@code Reset-After}, and of a window, {@code
   * Period} or {@code RenewalPeriod} in seconds, {@code Interval-Ms} or {@code
   * Interval-Milliseconds}, behind {@code prefix}. The reset is read as by {@link
   * #retryAfter(String)}. The limit may be followed by policies, {@code 10, 10;w=1}, which {@code
   * Policy} may state as well; it may also be alone in a header named as the prefix.
   */
  static AnswerReader counts(String prefix) {
    return counts(prefix, "", "");
  }

  /**
   * Returns a reader of the same headers with a suffix, such as {@code -Tokens}, which count {@code
   * cost}: the name of a cost, or an empty string for requests.
   */
  static AnswerReader counts(String prefix, String suffix, String cost) {
    return Readers.of(
        new CountHeaders(requireNonNull(prefix), requireNonNull(suffix), requireNonNull(cost)));
  }

  /**
   * Returns a reader of a header that states how much is used in the present window, such as {@code
   * X-MBX-USED-WEIGHT-1M}.
   */
  static AnswerReader used(String header, Duration window) {
    requireNonNull(header);
    requireNonNull(window);
    HeaderFormat format =
        reading ->
            UsedHeaders.used(reading, header)
                .map(quota -> PeerAnswer.NOTHING.withQuotas(List.of(quota.withWindow(window))))
                .orElse(PeerAnswer.NOTHING);
    return Readers.of(format);
  }
}
