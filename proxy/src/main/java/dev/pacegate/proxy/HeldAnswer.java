package dev.pacegate.proxy;

import io.vertx.core.http.HttpServerRequest;

/**
 * Ends a stream whose client takes nothing of its answer. In HTTP/1.1 the connection is silent then
 * and ends by that; in HTTP/2 it need not be silent. Confined to the event loop.
 */
final class HeldAnswer {

  private static final long NO_TIMER = -1;

  private final Way way;
  private final HttpServerRequest request;
  private long timer = NO_TIMER;

  HeldAnswer(Way way, HttpServerRequest request) {
    this.way = way;
    this.request = request;
  }

  void begin() {
    if (Http2Bounds.speaks(request)) {
      end();
      timer =
          way.vertx()
              .setTimer(
                  way.settings().idle().toMillis(),
                  late -> request.response().reset(Http2Bounds.CANCEL));
    }
  }

  void end() {
    way.vertx().cancelTimer(timer);
  }
}
