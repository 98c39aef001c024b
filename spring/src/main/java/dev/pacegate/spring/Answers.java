package dev.pacegate.spring;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.feedback.Answer;
import dev.pacegate.feedback.Feedback;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;

/** What an answer teaches its limiter. */
final class Answers {

  private Answers() {}

  static void apply(
      Feedback feedback,
      Limiter limiter,
      Permit permit,
      HttpStatusCode status,
      HttpHeaders headers) {
    var all = new TreeMap<String, List<String>>(String.CASE_INSENSITIVE_ORDER);
    headers.forEach(all::put); // the one way to read them that is the same in Spring 6 and 7
    feedback.apply(limiter, permit, new Answer(status.value(), all, Instant.now()));
  }
}
