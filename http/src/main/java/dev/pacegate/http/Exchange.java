package dev.pacegate.http;

import static java.util.Objects.requireNonNull;

import dev.pacegate.PeerAnswer;
import dev.pacegate.Permit;
import dev.pacegate.http.NextRequest.Reason;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.ResponseInfo;
import org.jspecify.annotations.Nullable;

/**
 * One call of the user: its request and those that follow from the answers (redirects, rounds of
 * authentication, retries, repetitions), one after another.
 */
final class Exchange<T extends @Nullable Object> {

  private final PacedHttpClient.Rules rules;
  private final BodyHandler<T> handler;
  private final WaitBound bound;
  private Credentials.Round round;
  private int redirects;
  private int retries;
  private boolean repeated;
  private @Nullable HttpResponse<T> previous;

  Exchange(PacedHttpClient.Rules rules, HttpRequest request, BodyHandler<T> handler) {
    this.rules = rules;
    this.handler = requireNonNull(handler);
    this.bound = rules.waits().begin(request);
    this.round = rules.credentials().begin(requireNonNull(request));
  }

  /** Returns the next request to send. */
  HttpRequest request() {
    return round.request();
  }

  /** Returns where its permit comes from. */
  PermitSource source(PermitSource.Factory sources) {
    return sources.of(request(), bound);
  }

  /** Begins to send that request. */
  Attempt<T> attempt(PermitSource source, Permit permit) {
    return new Attempt<>(
        request(), source, permit, rules, handler, (answer, said) -> sequel(answer, said, source));
  }

  /** Returns the request that an answer asks for, if any. Runs before the body is read. */
  private @Nullable NextRequest sequel(ResponseInfo answer, PeerAnswer said, PermitSource source)
      throws IOException {
    Credentials.Round again = rules.credentials().next(round, answer);
    if (again != null) {
      return new NextRequest(Reason.CREDENTIALS, again);
    }
    HttpRequest next = rules.redirects().next(round.asked(), answer, redirects);
    if (next != null) {
      return new NextRequest(Reason.REDIRECT, rules.credentials().begin(next));
    }
    return rules.retries().repeat(round.asked(), said, retries) && source.mayGoInTime()
        ? new NextRequest(Reason.REFUSED, round)
        : null;
  }

  /**
   * Takes the answer of an attempt.
   *
   * @return the caller's response, or null if there is another request to send
   */
  @Nullable HttpResponse<T> accept(Attempt<T> attempt, HttpResponse<T> response)
      throws IOException {
    HttpResponse<T> answer = new CallersResponse<>(response, request(), previous);
    NextRequest next = attempt.next(response);
    if (next == null) {
      attempt.delivers(answer);
      return answer;
    }
    redirects += next.reason() == Reason.REDIRECT ? 1 : 0;
    retries += next.reason() == Reason.REFUSED ? 1 : 0;
    repeated = false;
    previous = answer;
    round = next.round();
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
