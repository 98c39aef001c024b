package dev.pacegate.http;

import static java.util.Objects.requireNonNull;

import dev.pacegate.adapter.NotSentException;
import dev.pacegate.adapter.PacedCall;
import dev.pacegate.adapter.PacedRequest;
import dev.pacegate.http.NextRequest.Reason;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.ResponseInfo;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One call of the user: its request and those that follow from the answers (redirects, rounds of
 * authentication, retries, repetitions), one after another.
 */
final class Exchange<T extends @Nullable Object> {

  private final PacedHttpClient.Rules rules;
  private final PacedCall<HttpRequest, HttpResponse<?>> call;
  private final BodyHandler<T> handler;
  private Credentials.Round round;
  private int redirects;
  private boolean repeated;
  private @Nullable HttpResponse<T> previous;

  Exchange(PacedHttpClient.Rules rules, HttpRequest request, BodyHandler<T> handler) {
    this.rules = rules;
    this.handler = requireNonNull(handler);
    this.call = rules.begin(request);
    this.round = rules.credentials().begin(requireNonNull(request));
  }

  /** Waits for the permit of the next request. */
  Attempt<T> acquire() throws IOException, InterruptedException {
    try {
      return attempt(call.acquire(round.request()));
    } catch (NotSentException notSent) {
      throw reported(notSent);
    }
  }

  /** Returns the permit of the next request; a failure is told by {@link #reported}. */
  CompletableFuture<PacedRequest<HttpResponse<?>>> acquireAsync() {
    return call.acquireAsync(round.request());
  }

  static Throwable reported(Throwable failure) {
    return failure instanceof NotSentException notSent ? reported(notSent) : failure;
  }

  private static IOException reported(NotSentException notSent) {
    return notSent.atLeast().isPresent()
        ? new HttpWaitTooLongException(notSent)
        : new HttpRefusedException(notSent);
  }

  /** Begins to send the next request. */
  Attempt<T> attempt(PacedRequest<HttpResponse<?>> paced) {
    try {
      return new Attempt<>(
          round.request(),
          paced,
          rules.sendsOnce(),
          handler,
          () -> call.within(DiscardedBody.LONGEST),
          this::sequel);
    } catch (Throwable failure) {
      paced.notSent();
      throw failure;
    }
  }

  /** Returns the request that an answer asks for, if any. Runs before the body is read. */
  private @Nullable NextRequest sequel(ResponseInfo answer, boolean refused) throws IOException {
    Credentials.Round again = rules.credentials().next(round, answer);
    if (again != null) {
      return new NextRequest(Reason.CREDENTIALS, again);
    }
    HttpRequest next = rules.redirects().next(round.asked(), answer, redirects);
    if (next != null) {
      return new NextRequest(Reason.REDIRECT, rules.credentials().begin(next));
    }
    return refused ? new NextRequest(Reason.REFUSED, round) : null;
  }

  /**
   * Takes the answer of an attempt.
   *
   * @return the caller's response, or null if there is another request to send
   */
  @Nullable HttpResponse<T> accept(Attempt<T> attempt, HttpResponse<T> response)
      throws IOException {
    HttpResponse<T> answer = new CallersResponse<>(response, round.request(), previous);
    NextRequest next = attempt.next(response);
    if (next == null && !attempt.isRefused(response, answer)) {
      return answer;
    }
    if (next != null) {
      redirects += next.reason() == Reason.REDIRECT ? 1 : 0;
      round = next.round();
    }
    repeated = false;
    previous = answer;
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
