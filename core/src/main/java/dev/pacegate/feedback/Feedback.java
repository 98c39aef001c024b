package dev.pacegate.feedback;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.Quota;
import java.time.Duration;
import java.util.Optional;

/**
 * Applies the rate-limit headers and refusals of the peer's answers to a limiter.
 *
 * <p>A refusal pauses the limiter at once: for as long as the peer asks; otherwise until a used-up
 * quota is reset; otherwise, or if that is now, for {@code pause}. A pause is never longer than
 * {@code maxPause}, and a shorter pause never cuts a longer one. If a quota has less left than the
 * limiter counts, other clients have used it: see {@link Limiter#peerCounted}. A quota that names
 * neither a window nor a limit is ignored, as the peer may have limits that ours knows nothing of.
 * Neither ever raises what the limiter lets through, in whatever order answers come in.
 *
 * <p>Nothing in an answer makes it throw. Immutable and thread-safe, if the reader is.
 *
 * @param reader reads answers; if it throws, the answer has no effect
 * @param pause the pause after a refusal that states none, or states zero
 * @param maxPause the longest pause
 */
public record Feedback(LessonReader reader, Duration pause, Duration maxPause) {

  private static final Feedback USUAL =
      new Feedback(LessonReader.standard(), Duration.ofSeconds(1), Duration.ofHours(1));

  /** Checks the ranges. */
  public Feedback {
    requireNonNull(reader);
    if (pause.isNegative() || pause.compareTo(maxPause) > 0) {
      throw new IllegalArgumentException(
          "pause must be from 0 to maxPause, " + maxPause + ": " + pause);
    }
  }

  /** Returns feedback with the standard reader, a pause of one second and at most one hour. */
  public static Feedback standard() {
    return USUAL;
  }

  /** Returns this feedback with another reader. */
  public Feedback reader(LessonReader reader) {
    return new Feedback(reader, pause, maxPause);
  }

  /** Returns this feedback with another pause after refusals that state none. */
  public Feedback pause(Duration pause) {
    return new Feedback(reader, pause, maxPause);
  }

  /** Returns this feedback with another longest pause. */
  public Feedback maxPause(Duration maxPause) {
    return new Feedback(reader, pause, maxPause);
  }

  /**
   * Applies the answer to the request of {@code permit} to {@code limiter}. Call it before the
   * permit ends: then quotas have an effect.
   *
   * @return what the answer said
   */
  public Lesson apply(Limiter limiter, Permit permit, Answer answer) {
    Lesson lesson = read(answer);
    lesson.quotas().stream()
        .filter(Feedback::namesALimit)
        .forEach(quota -> limiter.peerCounted(permit, quota));
    if (lesson.refused()) {
      limiter.peerRefused(pauseOf(lesson));
    }
    lesson.date().ifPresent(date -> limiter.peerDated(permit, date));
    return lesson;
  }

  private static boolean namesALimit(Quota quota) {
    return quota.window().isPresent() || quota.limit().isPresent();
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

  /** A peer that refuses and asks for no pause has rounded, or its clock differs. */
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
