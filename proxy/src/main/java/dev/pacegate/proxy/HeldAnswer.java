package dev.pacegate.proxy;

import io.vertx.core.http.HttpServerRequest;

/**
 * Ends a stream whose client takes nothing of its answer. In HTTP/1.1 the connection is silent then
 * and ends by that; in HTTP/2 it need not be silent. Confined to the event loop.
 */
final class HeldAnswer {

  private final HttpServerRequest request;
  private final Silence untaken;

  HeldAnswer(Way way, HttpServerRequest request) {
    this.request = request;
    this.untaken =
        new Silence(
            way.sweep(), way.settings().idle(), () -> request.response().reset(Http2Bounds.CANCEL));
  }

  void begin() {
    if (Http2Bounds.speaks(request)) {
      untaken.begin();
    }
  }

  void end() {
    untaken.end();
  }
}
