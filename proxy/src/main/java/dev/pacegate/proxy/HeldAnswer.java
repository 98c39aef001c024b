package dev.pacegate.proxy;

import io.vertx.core.Future;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/**
 * What is written of an answer and not taken yet. A client that takes so little of it for too long
 * that nothing more can be written is cut off, whatever else it does: as long as it goes on
 * sending, nothing else ends it. Confined to the event loop.
 */
final class HeldAnswer {

  private final Way way;
  private final HttpServerRequest request;
  private @Nullable Silence client; // while it does not take what there is
  private @Nullable Silence reset; // from then on, until the stream has ended
  private int untaken; // parts

  HeldAnswer(Way way, HttpServerRequest request) {
    this.way = way;
    this.request = request;
  }

  /** A part is on its way to the client, until {@code part} is done. */
  void written(Future<Void> part) {
    if (part.isComplete() || reset != null) {
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
      endClient();
    } else if (client != null) {
      client.interrupt();
    }
  }

  /**
   * A reset does not end a stream if it stays behind what the client does not read, or if all of
   * the answer is with Netty, when Vert.x sends none. Then the connection ends.
   */
  private void cutOff() {
    HttpConnection connection = request.connection();
    if (Http2Bounds.speaks(request)) {
      reset = new Silence(way.sweep(), way.settings().body(), () -> Closing.atOnce(connection));
      reset.begin();
      request.response().reset(Http2Bounds.CANCEL);
    } else {
      Closing.atOnce(connection);
    }
  }

  /** Nothing of it is left. */
  void end() {
    endClient();
    if (reset != null) {
      reset.end();
    }
  }

  private void endClient() {
    if (client != null) {
      client.end();
      client = null;
    }
  }
}
