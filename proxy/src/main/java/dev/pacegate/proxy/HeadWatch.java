package dev.pacegate.proxy;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import java.time.Duration;

/**
 * Closes a connection that has no request under way and brings no head of one in time. Confined to
 * the event loop.
 */
final class HeadWatch {

  private final Vertx vertx;
  private final HttpConnection connection;
  private final Duration longest;
  private int underWay;
  private long timer;
  private boolean stopped;

  HeadWatch(Vertx vertx, HttpConnection connection, Duration longest) {
    this.vertx = vertx;
    this.connection = connection;
    this.longest = longest;
    this.timer = start();
  }

  private long start() {
    return vertx.setTimer(longest.toMillis(), late -> connection.close());
  }

  void begun() {
    if (underWay++ == 0) {
      vertx.cancelTimer(timer);
    }
  }

  void ended() {
    if (--underWay == 0 && !stopped) {
      timer = start();
    }
  }

  /** The connection is closed. */
  void stop() {
    stopped = true;
    vertx.cancelTimer(timer);
  }
}
