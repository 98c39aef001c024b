package dev.pacegate.http;

import dev.pacegate.Ends;
import dev.pacegate.Permit;
import dev.pacegate.limit.End;
import java.io.IOException;
import java.net.http.HttpRequest;
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

  /** Says which request an answer asks for, if it is not meant for the caller. */
  @FunctionalInterface
  interface Sequel {
    @Nullable HttpRequest of(ResponseInfo answer) throws IOException;
  }

  private final Pupil pupil;

  private final HttpRequest request;
  private final Permit permit;
  private final @Nullable Fence fence;
  private final Answered answered;
  private final BodyHandler<T> handler;
  private final Sequel sequel;
  private volatile @Nullable HttpRequest next;
  private volatile @Nullable IOException invalid;

  Attempt(
      HttpRequest request,
      Permit permit,
      PacedHttpClient.Rules rules,
      BodyHandler<T> handler,
      Sequel sequel) {
    this.permit = permit;
    this.pupil = rules.pupil();
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
    pupil.heed(request, permit, answer);
    if (answered == Answered.HEADERS) {
      permit.close();
    }
    try {
      next = sequel.of(answer);
    } catch (IOException | RuntimeException failure) {
      invalid =
          failure instanceof IOException io ? io : new IOException(failure.getMessage(), failure);
    }
    BodySubscriber<T> reader =
        next == null && invalid == null ? handler.apply(answer) : discarding();
    return answered == Answered.BODY ? new TrackedBody<>(reader, permit) : reader;
  }

  @SuppressWarnings("NullAway") // the body of an answer that goes no further
  private static <T extends @Nullable Object> BodySubscriber<T> discarding() {
    return BodySubscribers.replacing(null);
  }

  /**
   * Returns the request that the answer asks for, if it does.
   *
   * @throws IOException if it asks for something that cannot be done
   */
  @Nullable HttpRequest next() throws IOException {
    IOException failure = invalid;
    if (failure != null) {
      throw failure;
    }
    return next;
  }

  /** Ends the permit of a request that has failed; returns whether it is worth sending again. */
  boolean failed(Throwable failure) {
    Fence passed = fence;
    if (passed == null) {
      permit.failed(failure);
      return false;
    }
    if (!passed.shut()) {
      permit.unused();
    } else if (Ends.of(failure) == End.LOST && !passed.wasHit()) {
      permit.failed(failure);
    } else {
      permit.lost(); // sent, whatever the failure says of a second try
    }
    return passed.wasHit();
  }
}
