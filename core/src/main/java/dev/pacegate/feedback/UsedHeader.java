package dev.pacegate.feedback;

import dev.pacegate.Quota;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

/** What has been used in a window. */
record UsedHeader(String header, Duration window) implements LessonReader {

  @Override
  public Lesson read(Answer answer) {
    OptionalLong used =
        answer.all(header).stream().flatMapToLong(text -> Spans.amount(text).stream()).max();
    if (used.isEmpty()) {
      return Lesson.NOTHING;
    }
    var quota = Quota.used(used.getAsLong()).withName(header).withWindow(window);
    return Lesson.of(List.of(quota));
  }
}
