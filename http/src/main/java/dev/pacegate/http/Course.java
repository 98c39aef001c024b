package dev.pacegate.http;

import dev.pacegate.Permit;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.ResponseInfo;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of one call: its request, and those that follow from the answers (a redirect, a
 * round of authentication, another try), one after another.
 */
final class Course<T extends @Nullable Object> {

  private final PacedHttpClient.Rules rules;
  private final BodyHandler<T> handler;
  private HttpRequest request;
  private int redirects;
  private boolean authenticated;
  private boolean repeated;
  private @Nullable HttpResponse<T> previous;

  Course(PacedHttpClient.Rules rules, HttpRequest request, BodyHandler<T> handler) {
    this.rules = rules;
    this.handler = handler;
    this.request = rules.credentials().prepare(request);
  }

  /** Returns the request that is to be sent next. */
  HttpRequest request() {
    return request;
  }

  /** Begins to send that request. */
  Attempt<T> attempt(Permit permit) {
    return new Attempt<>(request, permit, rules, handler, this::sequel);
  }

  /** Says what an answer asks for. Runs before the body is read. */
  private @Nullable HttpRequest sequel(ResponseInfo answer) throws IOException {
    rules.credentials().learn(request, answer.statusCode());
    HttpRequest next = authenticated ? null : rules.credentials().next(request, answer);
    if (next != null) {
      authenticated = true;
      return next;
    }
    next = rules.redirects().next(request, answer, redirects);
    if (next != null) {
      redirects++;
      authenticated = false;
      return rules.credentials().prepare(next);
    }
    return null;
  }

  /**
   * Takes the answer of an attempt.
   *
   * @return what the caller gets, or null if there is another request to be sent
   */
  @Nullable HttpResponse<T> accept(Attempt<T> attempt, HttpResponse<T> response)
      throws IOException {
    HttpResponse<T> answer =
        previous == null ? response : new FollowingResponse<>(response, previous);
    HttpRequest next = attempt.next();
    if (next == null) {
      return answer;
    }
    previous = answer;
    request = next;
    return null;
  }

  /**
   * Takes the failure of an attempt.
   *
   * @return what the caller gets, or null if the request is to be sent once more
   */
  @Nullable Throwable failed(Attempt<T> attempt, Throwable failure) {
    if (!attempt.failed(failure)) {
      return failure;
    }
    if (repeated) {
      return new IOException("the connection was closed before an answer, twice", failure);
    }
    repeated = true;
    return null;
  }
}
