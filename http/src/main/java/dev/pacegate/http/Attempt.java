package dev.pacegate.http;

import dev.pacegate.FailureClassifier;
import dev.pacegate.Permit;
import dev.pacegate.limit.Outcome;
import java.io.IOException;
import java.net.http.HttpClient.Version;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import org.jspecify.annotations.Nullable;

/**
 * A request that is sent once, and its permit, which ends as the answer comes in, or as the failure
 * says.
 */
final class Attempt<T extends @Nullable Object> implements BodyHandler<T> {

  /** Says what an answer asks for, if it is not meant for the caller. */
  @FunctionalInterface
  interface Sequel {
    Credentials.@Nullable Round of(ResponseInfo answer) throws IOException;
  }

  private final HttpRequest request;
  private final Pass pass;
  private final Permit permit;
  private final @Nullable Fence fence;
  private final Answered answered;
  private final BodyHandler<T> handler;
  private final Sequel sequel;
  private volatile boolean hasHeaders;
  private volatile Credentials.@Nullable Round next;
  private volatile @Nullable IOException invalid;

  Attempt(
      HttpRequest request,
      Pass pass,
      Permit permit,
      PacedHttpClient.Rules rules,
      BodyHandler<T> handler,
      Sequel sequel) {
    this.pass = pass;
    this.permit = permit;
    this.fence =
        rules.fenced() ? request.bodyPublisher().map(Fence::new).orElseGet(Fence::new) : null;
    this.request = fence == null ? request : Requests.withBody(request, fence);
    this.answered = rules.answered();
    this.handler = handler;
    this.sequel = sequel;
  }

  HttpRequest request() {
    return request;
  }

  /** The status and headers are in. */
  @Override
  public BodySubscriber<T> apply(ResponseInfo answer) {
    hasHeaders = true;
    pass.heed(permit, answer);
    if (answered == Answered.HEADERS) {
      permit.answered();
    }
    read(answer);
    BodySubscriber<T> reader =
        next == null && invalid == null ? handler.apply(answer) : discarding();
    return answered == Answered.BODY ? new TrackedBody<>(reader, permit) : reader;
  }

  private void read(ResponseInfo answer) {
    try {
      next = sequel.of(answer);
    } catch (IOException failure) {
      invalid = failure;
    } catch (RuntimeException failure) {
      invalid = new IOException(failure.getMessage(), failure);
    }
  }

  @SuppressWarnings("NullAway") // the body of an answer that goes no further
  private static <T extends @Nullable Object> BodySubscriber<T> discarding() {
    return BodySubscribers.replacing(null);
  }

  /**
   * Returns what the answer asks for, if anything.
   *
   * @throws IOException if it asks for something that cannot be done
   */
  Credentials.@Nullable Round next(HttpResponse<T> response) throws IOException {
    if (!hasHeaders) {
      answeredByTheWay(response);
    }
    IOException failure = invalid;
    if (failure != null) {
      throw failure;
    }
    return next;
  }

  /** A response without any headers of the peer's is that of a proxy, which makes no tunnel. */
  private void answeredByTheWay(HttpResponse<T> response) {
    if (fence == null || fence.shut()) {
      permit.answered();
    } else {
      permit.notSent();
    }
    read(new Head(response.statusCode(), response.headers(), response.version()));
  }

  private record Head(int statusCode, HttpHeaders headers, Version version)
      implements ResponseInfo {}

  /** Nobody takes the response: lets go of the connection, and of the permit. */
  void dropped(HttpResponse<T> response) {
    if (response.body() instanceof AutoCloseable body) {
      try {
        body.close();
      } catch (Exception nobodyMinds) {
        // It was not to be read any more.
      }
    }
    permit.lost(); // unless all of it was there: then it was answered
  }

  /** Ends the permit of a request that has failed; returns whether it is worth sending again. */
  boolean failed(Throwable failure) {
    Fence passed = fence;
    if (passed == null) {
      permit.failed(failure);
      return false;
    }
    if (!passed.shut()) {
      permit.notSent();
    } else if (FailureClassifier.standard().apply(failure) == Outcome.LOST && !passed.wasHit()) {
      permit.failed(failure);
    } else {
      permit.lost(); // sent, whatever the failure says of a second try
    }
    return passed.wasHit() && !(failure instanceof InterruptedException);
  }
}
