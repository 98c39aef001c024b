package dev.pacegate.feedback;

import dev.pacegate.Quota;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads what an answer says of the peer's limits. A value that makes no sense (negative, not a
 * number) is ignored; one that is too large is capped. Thread-safe.
 */
@FunctionalInterface
public interface LessonReader {

  /** Returns what {@code answer} says. */
  Lesson read(Answer answer);

  /** Returns a reader that combines both. */
  default LessonReader and(LessonReader other) {
    return answer -> read(answer).and(other.read(answer));
  }

  /**
   * Returns the standard reader: {@link #refusals} with status 429, 503 and 418, {@link
   * #retryAfter}, {@link #rateLimit}, and {@link #counts} of the prefixes {@code RateLimit-} and
   * {@code X-RateLimit-}.
   */
  static LessonReader standard() {
    return refusals(429, 503, 418)
        .and(retryAfter())
        .and(rateLimit())
        .and(counts("RateLimit-"))
        .and(counts("X-RateLimit-"));
  }

  /** Returns a reader to which these statuses mean that there were too many requests. */
  static LessonReader refusals(Integer... statuses) {
    Set<Integer> refusing = Set.of(statuses);
    return answer ->
        new Lesson(
            refusing.contains(answer.status()), Optional.empty(), answer.freshDate(), List.of());
  }

  /**
   * Returns a reader of {@code Retry-After} (RFC 9110): seconds, or a date, which is compared with
   * the answer's own {@code Date} if it has one. A number that is too large for a span is an
   * instant, in seconds or milliseconds since 1970. Of several values the longest counts.
   */
  static LessonReader retryAfter() {
    return answer ->
        answer.all("Retry-After").stream()
            .flatMap(
                text ->
                    HeaderValues.secondsOrEpoch(text, answer.now())
                        .or(() -> HeaderValues.until(text, answer.now()))
                        .stream())
            .max(Duration::compareTo)
            .map(Lesson::after)
            .orElse(Lesson.NOTHING);
  }

  /**
   * Returns a reader of {@code RateLimit} and {@code RateLimit-Policy}
   * (draft-ietf-httpapi-ratelimit-headers-10), for quotas that count requests.
   */
  static LessonReader rateLimit() {
    return new RateLimitFields();
  }

  /**
   * Returns a reader of three headers: {@code Limit}, {@code Remaining} and {@code Reset} behind
   * {@code prefix}. The reset is in seconds from now, or in seconds or milliseconds since 1970.
   */
  static LessonReader counts(String prefix) {
    return new CountHeaders(prefix);
  }

  /**
   * Returns a reader of a header that states how much is used in the present window, such as {@code
   * X-MBX-USED-WEIGHT-1M}.
   */
  static LessonReader used(String header, Duration window) {
    return answer ->
        answer.all(header).stream()
            .flatMap(text -> HeaderValues.amount(text).stream().boxed())
            .max(Long::compare)
            .map(used -> Quota.used(used).withName(header).withWindow(window))
            .map(quota -> Lesson.of(List.of(quota)))
            .orElse(Lesson.NOTHING);
  }
}
