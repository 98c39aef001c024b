package dev.pacegate.feedback;

import dev.pacegate.Quota;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads what an answer teaches. What an answer says that makes no sense (negative, not a number) is
 * as if it said nothing; what is huge is cut.
 *
 * <p>Thread-safe.
 */
@FunctionalInterface
public interface LessonReader {

  /** Returns what {@code answer} teaches. */
  Lesson read(Answer answer);

  /** Returns a reader of what both read. */
  default LessonReader and(LessonReader other) {
    return answer -> read(answer).and(other.read(answer));
  }

  /**
   * Reads all that is usual: {@link #refusals} by 429, 503 and 418, {@link #retryAfter}, {@link
   * #rateLimit}, and {@link #counts} of the prefixes {@code RateLimit-} and {@code X-RateLimit-}.
   */
  static LessonReader usual() {
    return refusals(429, 503, 418)
        .and(retryAfter())
        .and(rateLimit())
        .and(counts("RateLimit-"))
        .and(counts("X-RateLimit-"));
  }

  /** Reads answers of these statuses as refusals, because there were too many requests. */
  static LessonReader refusals(Integer... statuses) {
    Set<Integer> refusing = Set.of(statuses);
    return answer ->
        new Lesson(
            refusing.contains(answer.status()), Optional.empty(), answer.freshDate(), List.of());
  }

  /**
   * Reads {@code Retry-After} (RFC 9110): seconds, or a date, which is compared with the answer's
   * own {@code Date} if it has one. Of several the longest counts.
   */
  static LessonReader retryAfter() {
    return answer ->
        answer.all("Retry-After").stream()
            .flatMap(text -> HeaderValues.seconds(text).or(() -> HeaderValues.until(text, answer.now())).stream())
            .max(Duration::compareTo)
            .map(Lesson::after)
            .orElse(Lesson.NOTHING);
  }

  /**
   * Reads {@code RateLimit} and {@code RateLimit-Policy} (draft-ietf-httpapi-ratelimit-headers-10):
   * what of them counts requests.
   */
  static LessonReader rateLimit() {
    return new RateLimitFields();
  }

  /**
   * Reads three headers, {@code Limit}, {@code Remaining} and {@code Reset} behind {@code prefix}.
   * The reset is a number of seconds from now, or since 1970, or of milliseconds since 1970.
   */
  static LessonReader counts(String prefix) {
    return new CountHeaders(prefix);
  }

  /**
   * Reads a header that says how much has been used in the present window, such as {@code
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
