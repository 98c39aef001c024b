package dev.pacegate.http;

import dev.pacegate.Permit;
import dev.pacegate.feedback.Answer;
import dev.pacegate.feedback.Feedback;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.ResponseInfo;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Has limiters heed what answers teach; null feedback teaches nothing. */
record Pupil(Route route, @Nullable Feedback feedback) {

  /** Whatever the answer says, and whatever becomes of it, the request is not harmed. */
  void heed(HttpRequest request, Permit permit, ResponseInfo answer) {
    if (feedback == null) {
      return;
    }
    try {
      route.heed(
          feedback,
          request,
          permit,
          new Answer(answer.statusCode(), answer.headers()::allValues, Instant.now()));
    } catch (RuntimeException ofTheRoute) {
      // It had an opinion when the request got its permit. Now it only costs what can be learnt.
    }
  }
}
