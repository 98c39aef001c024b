package dev.pacegate.proxy;

import io.vertx.core.http.HttpConnection;
import java.time.Duration;

/**
 * Closes a connection that has no request under way and brings no head of one in time. Confined to
 * the event loop.
 */
final class HeadWatch {

  private final Silence idle;
  private int underWay;

  HeadWatch(SilenceSweep sweep, HttpConnection connection, Duration longest) {
    this.idle = new Silence(sweep, longest, connection::close);
    idle.begin();
  }

  void begun() {
    if (underWay++ == 0) {
      idle.pause();
    }
  }

  void ended() {
    if (--underWay == 0) {
      idle.resume();
    }
  }

  /** The connection is closed. */
  void stop() {
    idle.end();
  }
}
