package dev.pacegate.http;

import dev.pacegate.FailureClassifier;
import dev.pacegate.PeerAnswer;
import dev.pacegate.Permit;
import dev.pacegate.limit.Outcome;
import java.io.IOException;
import java.net.http.HttpClient.Version;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import org.jspecify.annotations.Nullable;

/**
 * A request that is sent once, and its permit. The permit ends with the answer, or as the failure
 * is classified.
 */
final class Attempt<T extends @Nullable Object> implements BodyHandler<T> {

  /** Returns the request that an answer asks for; null if the answer is for the caller. */
  @FunctionalInterface
  interface Sequel {
    @Nullable NextRequest of(ResponseInfo answer, PeerAnswer said) throws IOException;
  }

  private final HttpRequest request;
  private final PermitSource source;
  private final Permit permit;
  private final @Nullable SendOnceBody body;
  private final Answered answered;
  private final BodyHandler<T> handler;
  private final Sequel sequel;
  private volatile boolean hasHeaders;
  private final @Nullable Settlement settlement;
  private volatile @Nullable NextRequest next;
  private volatile @Nullable Throwable invalid;

  Attempt(
      HttpRequest request,
      PermitSource source,
      Permit permit,
      PacedHttpClient.Rules rules,
      BodyHandler<T> handler,
      Sequel sequel) {
    this.source = source;
    this.permit = permit;
    this.body =
        rules.sendsOnce()
            ? request.bodyPublisher().map(SendOnceBody::new).orElseGet(SendOnceBody::new)
            : null;
    this.request = body == null ? request : Requests.withBody(request, body);
    this.answered = rules.answered();
    this.handler = handler;
    this.sequel = sequel;
    this.settlement = rules.settling() == null ? null : new Settlement(permit, rules.settling());
  }

  /** Returns the request, which the caller sends now. */
  HttpRequest sending() {
    permit.sending();
    return request;
  }

  /** The status and headers are in. */
  @Override
  public BodySubscriber<T> apply(ResponseInfo answer) {
    hasHeaders = true;
    PeerAnswer said = source.apply(permit, answer);
    if (answered == Answered.HEADERS) {
      permit.answered();
    }
    read(answer, said);
    boolean forCaller = next == null && invalid == null;
    BodySubscriber<T> reader =
        forCaller
            ? handler.apply(answer)
            : new DiscardedBody<>(source.bound().within(DiscardedBody.LONGEST), permit::lost);
    if (answered == Answered.HEADERS) {
      return reader;
    }
    Runnable whenIn = forCaller && settlement != null ? settlement::bodyIsIn : permit::answered;
    return new TrackedBody<>(reader, permit, whenIn);
  }

  private void read(ResponseInfo answer, PeerAnswer said) {
    try {
      next = sequel.of(answer, said);
    } catch (Throwable failure) {
      invalid = failure; // for the caller, not for the client that reads the answer
    }
  }

  /**
   * Returns the request that the answer asks for; null if none.
   *
   * @throws IOException if it asks for something that cannot be done
   * @throws RuntimeException what a function of the user threw
   */
  @Nullable NextRequest next(HttpResponse<T> response) throws IOException {
    if (!hasHeaders) {
      answeredByProxy(response);
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
  private void answeredByProxy(HttpResponse<T> response) {
    if (body == null || body.shut()) {
      permit.answered();
    } else {
      permit.notSent();
    }
    read(
        new Head(response.statusCode(), response.headers(), response.version()),
        PeerAnswer.NOTHING);
  }

  private record Head(int statusCode, HttpHeaders headers, Version version)
      implements ResponseInfo {}

  /** The caller gets this response. */
  void delivers(HttpResponse<T> response) {
    if (settlement != null) {
      settlement.responseIsIn(response);
    }
  }

  /** The caller does not take the response: releases the connection and ends the permit. */
  void dropped(HttpResponse<T> response) {
    if (response.body() instanceof AutoCloseable open) {
      try {
        open.close();
      } catch (Exception ignored) {
        // The caller does not read it.
      }
    }
    permit.lost(); // unless all of it was there: then it was answered
  }

  /** Ends the permit of a request that has failed; returns whether it is worth sending again. */
  boolean failed(Throwable failure) {
    if (settlement != null) {
      settlement.failed();
    }
    SendOnceBody once = body;
    if (once == null) {
      permit.failed(failure);
      return false;
    }
    if (!once.shut()) {
      permit.notSent();
    } else if (FailureClassifier.standard().apply(failure) == Outcome.LOST && !once.wasRepeated()) {
      permit.failed(failure);
    } else {
      permit.lost(); // sent, whatever the failure says of a second try
    }
    return once.wasRepeated() && !(failure instanceof InterruptedException);
  }
}
