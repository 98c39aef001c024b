package dev.pacegate.feedback;

import dev.pacegate.feedback.Lesson.Verdict;
import java.util.Set;

/** Reads a verdict from the status, and the peer's date. */
record Statuses(Set<Integer> statuses, Verdict verdict) implements HeaderFormat {

  @Override
  public Lesson read(Reading reading) {
    boolean means = statuses.contains(reading.answer().status());
    Lesson lesson = means ? Lesson.NOTHING.verdict(verdict) : Lesson.NOTHING;
    return lesson.date(reading.freshDate());
  }
}
