package dev.pacegate.feedback;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Quota;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What one answer says of the peer's limits: an immutable value.
 *
 * @param refused whether the peer refused the request because there were too many
 * @param retryAfter for how long the peer asks for no further request
 * @param date the instant of the answer by the peer's clock
 * @param quotas the quotas that the peer reports
 */
public record Lesson(
    boolean refused, Optional<Duration> retryAfter, Optional<Instant> date, List<Quota> quotas) {

  /** An answer that says nothing of limits. */
  public static final Lesson NOTHING =
      new Lesson(false, Optional.empty(), Optional.empty(), List.of());

  /** Copies the list, and checks that no component is null. */
  public Lesson {
    requireNonNull(retryAfter);
    requireNonNull(date);
    quotas = List.copyOf(quotas);
  }

  static Lesson of(List<Quota> quotas) {
    return new Lesson(false, Optional.empty(), Optional.empty(), quotas);
  }

  static Lesson after(Duration wait) {
    return new Lesson(false, Optional.of(wait), Optional.empty(), List.of());
  }

  /** Returns both combined; of two waits the longer one. */
  public Lesson and(Lesson other) {
    var both = new ArrayList<Quota>(quotas);
    both.addAll(other.quotas);
    var waits = Stream.of(retryAfter, other.retryAfter).flatMap(Optional::stream);
    return new Lesson(
        refused || other.refused,
        waits.max(Duration::compareTo),
        date.isPresent() ? date : other.date,
        both);
  }
}
