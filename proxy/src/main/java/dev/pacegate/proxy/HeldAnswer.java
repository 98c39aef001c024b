package dev.pacegate.proxy;

import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/**
 * What is written of an answer and not taken yet. A client that takes none of it for too long is
 * cut off, whatever else it does: as long as it goes on sending, nothing else ends it. Confined to
 * the event loop.
 */
final class HeldAnswer {

  private final Way way;
  private final HttpServerRequest request;
  private @Nullable Silence client; // while it does not take what there is
  private int untaken; // parts

  HeldAnswer(Way way, HttpServerRequest request) {
    this.way = way;
    this.request = request;
  }

  /** A part is on its way to the client, until {@code part} is done. */
  void written(Future<Void> part) {
    if (part.isComplete()) {
      return; // the kernel had room, as it mostly has
    }
    untaken++;
    if (client == null) {
      client = new Silence(way.sweep(), way.settings().idle(), this::cutOff);
      client.begin();
    }
    part.onComplete(done -> taken());
  }

  private void taken() {
    if (--untaken == 0) {
      end();
    } else if (client != null) {
      client.interrupt();
    }
  }

  private void cutOff() {
    if (Http2Bounds.speaks(request)) {
      request.response().reset(Http2Bounds.CANCEL);
    } else {
      Closing.atOnce(request.connection());
    }
  }

  void end() {
    if (client != null) {
      client.end();
      client = null;
    }
  }
}
