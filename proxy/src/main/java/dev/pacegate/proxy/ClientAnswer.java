package dev.pacegate.proxy;

import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import org.jspecify.annotations.Nullable;

/**
 * What goes back to the client of a request, until nothing of it is left: neither here nor on the
 * way. Confined to the event loop.
 */
final class ClientAnswer {

  private final HttpServerRequest request;
  private final HttpServerResponse response;
  private final ClientBody upload;
  private final Runnable whenLeft;
  private final HeldAnswer held;
  private final Way way;
  private @Nullable Silence restOfBody; // while it is dropped
  private boolean toldToContinue;
  private boolean last; // on its connection
  private boolean left;

  ClientAnswer(Way way, HttpServerRequest request, ClientBody upload, Runnable whenLeft) {
    this.request = request;
    this.response = request.response();
    this.upload = upload;
    this.whenLeft = whenLeft;
    this.held = new HeldAnswer(way, request);
    this.way = way;
  }

  /** Tells a client that has asked for it to send its body. */
  void tellToContinue() {
    toldToContinue = true;
    if (RequestRules.expectsContinue(request)) {
      response.writeContinue();
    }
  }

  boolean hasBegun() {
    return response.headWritten();
  }

  /** Answers in place of the upstream, and returns when that is written. */
  Future<Void> reject(Rejection refusal) {
    last = !upload.isEnded() && !Http2Bounds.speaks(request);
    return refusal.answer(response, last);
  }

  /** A part of the answer is on its way. */
  void written(Future<Void> part) {
    held.written(part);
  }

  /** All of the answer is here, and its client may take it as slowly as any part of it. */
  void end(Future<Void> written, Runnable taken) {
    held.written(written);
    written.onComplete(
        done -> {
          leave();
          taken.run();
        });
  }

  /** The client has its whole answer, and need not send the rest of its body. */
  void answered() {
    if (upload.isEnded()) {
      return;
    }
    if (Http2Bounds.speaks(request)) {
      response.reset(Http2Bounds.NO_ERROR);
    } else if (RequestRules.expectsContinue(request) && !toldToContinue && !upload.hasBegun()) {
      request.connection().close(); // it was not told to send it: no end of it is waited for
    }
  }

  /** In HTTP/1.1 the client may still take what was written: the connection ends after it. */
  void breakOff() {
    response.reset(Http2Bounds.INTERNAL_ERROR);
    if (Http2Bounds.speaks(request)) {
      leave();
    }
  }

  void cutOff() {
    if (Http2Bounds.speaks(request)) {
      response.reset(Http2Bounds.CANCEL);
    } else {
      request.connection().close();
    }
  }

  /**
   * The rest of the body is read, or a client that is still sending might lose its answer. Then the
   * connection is closed if the client was told so.
   */
  void dropRest() {
    if (upload.isEnded()) {
      return;
    }
    restOfBody = new Silence(way.sweep(), way.settings().body(), this::cutOff);
    restOfBody.begin();
    upload.drop(
        () -> {
          endRest();
          if (last) {
            request.connection().close();
          }
        });
  }

  private void endRest() {
    if (restOfBody != null) {
      restOfBody.end();
    }
  }

  boolean isLeft() {
    return left;
  }

  /** Nothing of it is left. */
  void leave() {
    held.end();
    if (!left) {
      left = true;
      whenLeft.run();
    }
  }

  /** The client has gone. */
  void gone() {
    leave();
    endRest(); // none is to come
  }
}
