package dev.pacegate.proxy;

import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;

/** How much of HTTP/2 there may be, the same to both sides. */
final class Http2Bounds {

  /** Of a request or an answer, in either protocol. */
  static final int LARGEST_HEAD = 32 * 1024;

  /** At a time on a connection. */
  static final int MOST_STREAMS = 100;

  /** The protocol's own, which a client may use before it has read the settings. */
  static final int STREAM_WINDOW = Http2Settings.DEFAULT_INITIAL_WINDOW_SIZE;

  /** Room for all streams: one that is held back must not keep the others from going on. */
  static final int CONNECTION_WINDOW = MOST_STREAMS * STREAM_WINDOW;

  /**
   * Of streams, in {@link #RESET_SECONDS} on a connection, by either end. A gateway in front that
   * gives up what waits for long may reset all its streams several times.
   */
  static final int MOST_RESETS = 1000;

  static final int RESET_SECONDS = 30;

  // What is said when a stream is reset, from RFC 9113, section 7.
  static final long NO_ERROR = 0;
  static final long INTERNAL_ERROR = 2;
  static final long REFUSED_STREAM = 7;
  static final long CANCEL = 8;

  private Http2Bounds() {}

  static Http2Settings settings() {
    return new Http2Settings()
        .setPushEnabled(false)
        .setMaxConcurrentStreams(MOST_STREAMS)
        .setInitialWindowSize(STREAM_WINDOW)
        .setMaxHeaderListSize(LARGEST_HEAD);
  }

  /** Returns whether the request came in HTTP/2. */
  static boolean speaks(HttpServerRequest request) {
    return request.version() == HttpVersion.HTTP_2;
  }
}
