package dev.pacegate.http;

import dev.pacegate.FailureClassifier;
import dev.pacegate.adapter.PacedRequest;
import dev.pacegate.limit.Outcome;
import java.io.IOException;
import java.net.http.HttpClient.Version;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A request that is sent once, and what becomes of it. */
final class Attempt<T extends @Nullable Object> implements BodyHandler<T> {

  /** Returns the request that an answer asks for; null if the answer is for the caller. */
  @FunctionalInterface
  interface Sequel {
    @Nullable NextRequest of(ResponseInfo answer, boolean refused) throws IOException;
  }

  /** In seconds: longer time-outs could overflow. */
  private static final long LONGEST_TIMEOUT = 1L << 40;

  private final HttpRequest request;
  private final PacedRequest<HttpResponse<?>> paced;
  private final @Nullable SendOnceBody body;
  private final BodyHandler<T> handler;
  private final Supplier<Duration> discarding;
  private final Sequel sequel;
  private final CompletableFuture<Void> outcome = new CompletableFuture<>(); // or the final headers
  private volatile boolean hasHeaders;
  private volatile @Nullable NextRequest next;
  private volatile @Nullable Throwable invalid;

  /**
   * Makes one.
   *
   * @param once whether the client asks for a body's length once each time it sends
   * @param discarding for how long a body that goes no further is read, as of its headers
   */
  Attempt(
      HttpRequest request,
      PacedRequest<HttpResponse<?>> paced,
      boolean once,
      BodyHandler<T> handler,
      Supplier<Duration> discarding,
      Sequel sequel) {
    this.paced = paced;
    this.body =
        once ? request.bodyPublisher().map(SendOnceBody::new).orElseGet(SendOnceBody::new) : null;
    this.request = body == null ? request : Requests.withBody(request, body);
    this.handler = handler;
    this.discarding = discarding;
    this.sequel = sequel;
  }

  /** Returns the request, which the caller sends now. */
  HttpRequest sending() {
    paced.sending();
    if (request.expectContinue()) {
      request.timeout().ifPresent(this::losesAfter);
    }
    return request;
  }

  /**
   * The JDK's client may take an interim answer to a request that expects one for the answer, and
   * read its body, which never ends, whatever the time-out: then the permit ends all the same. Not
   * before the time-out is over.
   */
  @SuppressWarnings("FutureReturnValueIgnored") // it ends the permit
  private void losesAfter(Duration timeout) {
    outcome
        .orTimeout(Math.min(timeout.toSeconds(), LONGEST_TIMEOUT) + 1, TimeUnit.SECONDS)
        .whenComplete(
            (known, late) -> {
              if (late != null) { // on the thread of a timer
                CompletableFuture.runAsync(this::lost);
              }
            });
  }

  /** The status and headers are in. */
  @Override
  public BodySubscriber<T> apply(ResponseInfo answer) {
    hasHeaders = true;
    if (answer.statusCode() >= 200) {
      outcome.complete(null);
    }
    try {
      paced.headers(answer.statusCode(), answer.headers().map());
      next = sequel.of(answer, paced.shouldRetry());
    } catch (Throwable failure) {
      invalid = failure; // for the caller, not for the client that reads the answer
    }
    if (next == null && invalid == null) {
      return TrackedBody.of(handler.apply(answer), paced);
    }
    paced.superseded();
    return new TrackedBody<>(new DiscardedBody<>(discarding.get(), paced::aborted), paced);
  }

  /**
   * Returns the request that the answer asks for; null if none.
   *
   * @throws IOException if it asks for something that cannot be done
   * @throws RuntimeException what a function of the user threw
   */
  @Nullable NextRequest next(HttpResponse<T> response) throws IOException {
    if (!hasHeaders) {
      return answeredByProxy(response);
    }
    Throwable failure = invalid;
    if (failure != null) {
      throw unchecked(failure);
    }
    return next;
  }

  /** Returns the exception of a user's function; throws an I/O error, and an error. */
  private static RuntimeException unchecked(Throwable failure) throws IOException {
    if (failure instanceof IOException invalid) {
      throw invalid;
    }
    if (failure instanceof Error error) {
      throw error;
    }
    return (RuntimeException) failure;
  }

  /** A response without the peer's headers comes from a proxy that refused the tunnel. */
  private @Nullable NextRequest answeredByProxy(HttpResponse<T> response) throws IOException {
    paced.superseded(); // the user's functions read answers of the peer
    if (body == null || body.shut()) {
      paced.bodyEnded();
    } else {
      paced.notSent();
    }
    return sequel.of(
        new Head(response.statusCode(), response.headers(), response.version()), false);
  }

  private record Head(int statusCode, HttpHeaders headers, Version version)
      implements ResponseInfo {}

  /**
   * The caller gets {@code callers} for {@code response}, unless the user's functions say that the
   * peer refused the request and it is to be sent again: then this returns true.
   */
  boolean isRefused(HttpResponse<T> response, HttpResponse<T> callers) {
    boolean taken = false;
    try {
      if (hasHeaders) {
        paced.received(callers);
      }
      taken = !hasHeaders || !paced.shouldRetry();
    } finally {
      if (!taken) {
        dropped(response);
      }
    }
    return !taken;
  }

  /** The caller does not take the response: releases the connection and ends the permit. */
  void dropped(HttpResponse<T> response) {
    try {
      giveUp(response.body());
    } catch (Exception ignored) {
      // The caller does not read it.
    } finally {
      paced.aborted(); // unless all of it was there
    }
  }

  private static void giveUp(@Nullable Object body) throws Exception {
    if (body instanceof AutoCloseable open) {
      open.close();
    } else if (body instanceof Flow.Publisher<?> publisher) {
      publisher.subscribe(new Unread());
    }
  }

  /** Reads nothing, which closes the connection. */
  private static final class Unread implements Flow.Subscriber<Object> {
    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.cancel();
    }

    @Override
    public void onNext(Object item) {}

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onComplete() {}
  }

  /** The outcome is unknown. */
  void lost() {
    paced.aborted();
  }

  /** Ends the permit of a request that has failed; returns whether it is worth sending again. */
  boolean failed(Throwable failure) {
    outcome.complete(null);
    SendOnceBody once = body;
    if (once != null && !once.shut()) {
      paced.notSent();
    } else if (once != null && (once.wasRepeated() || !isLost(failure))) {
      paced.aborted(); // sent, whatever the failure says of a second try
    }
    paced.failed(failure); // unless it has ended
    return once != null && once.wasRepeated() && !(failure instanceof InterruptedException);
  }

  private static boolean isLost(Throwable failure) {
    return FailureClassifier.standard().apply(failure) == Outcome.LOST;
  }
}
