package dev.pacegate.feedback;

import dev.pacegate.Quota;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Reads three headers with a common prefix: limit, remaining and reset. The limit may be followed
 * by policies, the first of which is in force.
 */
record CountHeaders(String prefix) implements LessonReader {

  @Override
  public Lesson read(Answer answer) {
    OptionalLong remaining =
        answer.all(prefix + "Remaining").stream()
            .flatMapToLong(text -> HeaderValues.amount(text).stream())
            .min();
    Optional<StructuredList.Item> limit =
        StructuredList.parse(answer.all(prefix + "Limit")).stream().findFirst();
    Optional<Duration> reset =
        answer.all(prefix + "Reset").stream()
            .flatMap(text -> HeaderValues.secondsOrEpoch(text, answer.now()).stream())
            .max(Duration::compareTo);
    OptionalLong max =
        limit.map(item -> HeaderValues.amount(item.name())).orElse(OptionalLong.empty());
    if (remaining.isEmpty() && max.isEmpty()) {
      return Lesson.NOTHING;
    }
    Optional<Duration> window = limit.flatMap(item -> RateLimitFields.seconds(item, "w"));
    var quota = new Quota(prefix, max, remaining, OptionalLong.empty(), window, reset);
    return Lesson.of(List.of(quota));
  }
}
