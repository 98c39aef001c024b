package dev.pacegate.http;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Permit;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.ResponseInfo;
import org.jspecify.annotations.Nullable;

/**
 * One call of the user: its request and those that follow from the answers (redirects, rounds of
 * authentication, repetitions), one after another.
 */
final class Exchange<T extends @Nullable Object> {

  private final PacedHttpClient.Rules rules;
  private final BodyHandler<T> handler;
  private Credentials.Round round;
  private int redirects;
  private boolean repeated;
  private @Nullable HttpResponse<T> previous;

  Exchange(PacedHttpClient.Rules rules, HttpRequest request, BodyHandler<T> handler) {
    this.rules = rules;
    this.handler = requireNonNull(handler);
    this.round = rules.credentials().begin(requireNonNull(request));
  }

  /** Returns the next request to send. */
  HttpRequest request() {
    return round.request();
  }

  /** Begins to send that request. */
  Attempt<T> attempt(PermitSource source, Permit permit) {
    return new Attempt<>(request(), source, permit, rules, handler, this::sequel);
  }

  /** Returns the request that an answer asks for, if any. Runs before the body is read. */
  private Credentials.@Nullable Round sequel(ResponseInfo answer) throws IOException {
    Credentials.Round again = rules.credentials().next(round, answer);
    if (again != null) {
      return again;
    }
    HttpRequest next = rules.redirects().next(round.asked(), answer, redirects);
    return next == null ? null : rules.credentials().begin(next);
  }

  /**
   * Takes the answer of an attempt.
   *
   * @return the caller's response, or null if there is another request to send
   */
  @Nullable HttpResponse<T> accept(Attempt<T> attempt, HttpResponse<T> response)
      throws IOException {
    HttpResponse<T> answer = new CallersResponse<>(response, request(), previous);
    Credentials.Round next = attempt.next(response);
    if (next == null) {
      return answer;
    }
    if (!next.isOfCredentials()) {
      redirects++;
    }
    repeated = false;
    previous = answer;
    round = next;
    return null;
  }

  /**
   * Takes the failure of an attempt.
   *
   * @return the caller's exception, or null if the request is to be sent once more
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
