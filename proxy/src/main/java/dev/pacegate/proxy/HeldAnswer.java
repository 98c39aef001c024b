package dev.pacegate.proxy;

import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;

/**
 * What is written of an answer and not taken yet. A client that takes none of it for too long is
 * cut off, whatever else it does: as long as it goes on sending, nothing else ends it. Confined to
 * the event loop.
 */
final class HeldAnswer {

  private final HttpServerRequest request;
  private final Silence client;
  private int untaken; // parts

  HeldAnswer(Way way, HttpServerRequest request) {
    this.request = request;
    this.client = new Silence(way.sweep(), way.settings().idle(), this::cutOff);
  }

  /** A part is on its way to the client, until {@code part} is done. */
  void written(Future<Void> part) {
    if (untaken++ == 0) {
      client.begin();
    }
    part.onComplete(
        done -> {
          client.interrupt();
          if (--untaken == 0) {
            client.end();
          }
        });
  }

  private void cutOff() {
    if (Http2Bounds.speaks(request)) {
      request.response().reset(Http2Bounds.CANCEL);
    } else {
      Closing.atOnce(request.connection());
    }
  }

  void end() {
    client.end();
  }
}
