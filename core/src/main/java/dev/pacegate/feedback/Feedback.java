package dev.pacegate.feedback;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import java.time.Duration;
import java.util.Optional;

/**
 * Has limiters heed what answers teach.
 *
 * <p>A refusal pauses everybody at once: for as long as the peer wants, else until a quota that is
 * used up is reset, else (or if that is no time at all) for {@code pause}; never for longer than
 * {@code maxPause}. A shorter pause never cuts a longer one. A quota of which less is left than the
 * limiter thinks has been used by others: see {@link Limiter#peerCounted}. Neither raises what a
 * limiter lets through, whatever the order in which answers come in.
 *
 * <p>Whatever an answer says, nothing is thrown.
 *
 * @param reader reads what an answer teaches; if it fails, that is nothing
 * @param pause for how long to pause after a refusal that says nothing of it, or says now
 * @param maxPause the longest pause
 */
public record Feedback(LessonReader reader, Duration pause, Duration maxPause) {

  private static final Feedback USUAL =
      new Feedback(LessonReader.usual(), Duration.ofSeconds(1), Duration.ofHours(1));

  /** Checks the ranges. */
  public Feedback {
    requireNonNull(reader);
    if (pause.isNegative() || pause.compareTo(maxPause) > 0) {
      throw new IllegalArgumentException(
          "pause must be from 0 to maxPause, " + maxPause + ": " + pause);
    }
  }

  /** Reads what is usual, pauses for a second where nothing is said, and for an hour at most. */
  public static Feedback standard() {
    return USUAL;
  }

  /** Returns this with another reader. */
  public Feedback reader(LessonReader reader) {
    return new Feedback(reader, pause, maxPause);
  }

  /** Returns this with another pause where nothing is said. */
  public Feedback pause(Duration pause) {
    return new Feedback(reader, pause, maxPause);
  }

  /** Returns this with another longest pause. */
  public Feedback maxPause(Duration maxPause) {
    return new Feedback(reader, pause, maxPause);
  }

  /**
   * Has {@code limiter} heed the answer to the request of {@code permit}. Best before the permit
   * ends.
   *
   * @return what the answer taught
   */
  public Lesson apply(Limiter limiter, Permit permit, Answer answer) {
    Lesson lesson = read(answer);
    lesson.quotas().forEach(quota -> limiter.peerCounted(permit, quota));
    if (lesson.refused()) {
      limiter.peerRefused(pauseOf(lesson));
    }
    lesson.date().ifPresent(date -> limiter.peerDated(permit, date));
    return lesson;
  }

  private Lesson read(Answer answer) {
    try {
      return requireNonNull(reader.read(answer));
    } catch (RuntimeException unreadable) {
      return Lesson.NOTHING;
    }
  }

  private Duration pauseOf(Lesson lesson) {
    Duration wanted =
        lesson
            .retryAfter()
            .filter(Feedback::isLater)
            .or(() -> untilReset(lesson).filter(Feedback::isLater))
            .orElse(pause);
    return wanted.compareTo(maxPause) > 0 ? maxPause : wanted;
  }

  /** Who refuses a request and wants the next one now has rounded, or has another clock. */
  private static boolean isLater(Duration wait) {
    return wait.compareTo(Duration.ZERO) > 0;
  }

  private static Optional<Duration> untilReset(Lesson lesson) {
    return lesson.quotas().stream()
        .filter(quota -> quota.remaining().isPresent() && quota.remaining().getAsLong() == 0)
        .flatMap(quota -> quota.reset().stream())
        .max(Duration::compareTo);
  }
}
