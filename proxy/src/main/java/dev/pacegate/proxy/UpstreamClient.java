package dev.pacegate.proxy;

import io.netty.channel.Channel;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.http.StreamResetException;
import io.vertx.core.net.impl.ConnectionBase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * Speaks to an upstream: in HTTP/2 where that was agreed on, otherwise in HTTP/1.1. Confined to the
 * event loop.
 */
final class UpstreamClient {

  /** Shorter than that of servers: 5 s of Node, 75 s of nginx. */
  private static final int KEEP_ALIVE_SECONDS = 4;

  /** Requests that have a permit shall not wait for a connection. */
  private static final int MOST_CONNECTIONS = 10_000;

  /** Longer than any request takes: a connection that ends waits for those that are on it. */
  private static final int LONGEST_END_HOURS = 24;

  private final Vertx vertx;
  private final Duration connect;
  private final HttpClient client;

  /**
   * The last stream that the upstream has looked at, of connections on which it said GOAWAY. What
   * Vert.x tells with a failure may be the GOAWAY that this side has sent.
   */
  private final Map<HttpConnection, Integer> lastStreams = new WeakHashMap<>();

  private UpstreamClient(Vertx vertx, Duration connect, HttpClient client) {
    this.vertx = vertx;
    this.connect = connect;
    this.client = client;
  }

  /**
   * Returns a client for requests to {@code upstream}. Over TLS the upstream chooses the protocol.
   *
   * @param connect how long it may take to connect, and to answer a ping
   * @param more sets further options
   */
  static UpstreamClient create(
      Vertx vertx, Upstream upstream, Duration connect, UnaryOperator<HttpClientOptions> more) {
    var pool =
        new PoolOptions().setHttp1MaxSize(MOST_CONNECTIONS).setHttp2MaxSize(MOST_CONNECTIONS);
    HttpClient client = vertx.createHttpClient(more.apply(options(upstream, connect)), pool);
    return new UpstreamClient(vertx, connect, client);
  }

  private static HttpClientOptions options(Upstream upstream, Duration connect) {
    var options =
        new HttpClientOptions()
            .setConnectTimeout((int) connect.toMillis())
            .setSslHandshakeTimeout(connect.toMillis())
            .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
            .setKeepAliveTimeout(KEEP_ALIVE_SECONDS)
            .setMaxHeaderSize(Http2Bounds.LARGEST_HEAD)
            .setDecompressionSupported(false)
            .setInitialSettings(Http2Bounds.settings())
            .setHttp2ConnectionWindowSize(Http2Bounds.CONNECTION_WINDOW)
            .setHttp2MultiplexingLimit(Http2Bounds.MOST_STREAMS)
            .setHttp2ClearTextUpgrade(false);
    if (upstream.tls()) {
      options
          .setUseAlpn(true)
          .setProtocolVersion(HttpVersion.HTTP_2)
          .setAlpnVersions(List.of(HttpVersion.HTTP_2, HttpVersion.HTTP_1_1));
    } else if (upstream.http2()) {
      options.setProtocolVersion(HttpVersion.HTTP_2);
    }
    return options;
  }

  Future<HttpClientRequest> request(RequestOptions target) {
    return client.request(target).onSuccess(this::heedGoAway);
  }

  private void heedGoAway(HttpClientRequest request) {
    if (isHttp2(request)) {
      HttpConnection connection = request.connection();
      connection.goAwayHandler(end -> lastStreams.put(connection, end.getLastStreamId()));
    }
  }

  /**
   * Returns whether a request that failed was provably not processed, by RFC 9113, section 8.7: the
   * upstream refused its stream, or went away and named an earlier one as the last.
   */
  boolean isUnprocessed(HttpClientRequest sent, Throwable failure) {
    if (failure instanceof StreamResetException reset) {
      return reset.getCode() == Http2Bounds.REFUSED_STREAM;
    }
    if (failure instanceof Http2Exception unsent) { // no stream could be begun
      return unsent.error() == Http2Error.REFUSED_STREAM;
    }
    Integer last = lastStreams.get(sent.connection());
    return failure instanceof HttpClosedException && last != null && sent.streamId() > last;
  }

  /** Gives up a request of which something was sent. Half of it, or of its answer, may be there. */
  static void giveUp(HttpClientRequest sent) {
    if (isHttp2(sent)) {
      sent.reset(Http2Bounds.CANCEL);
    } else {
      // Resetting it would not do: Vert.x reuses the connection if the answer was whole.
      Closing.atOnce(sent.connection());
    }
  }

  /**
   * Ends the connection of a request that got no answer, if nothing at all comes on it after a
   * ping: in HTTP/2 others would be sent there, too. One ping at a time is enough.
   */
  @SuppressWarnings("FutureReturnValueIgnored")
  void endIfDead(HttpClientRequest sent) {
    if (!isHttp2(sent)) {
      return;
    }
    HttpConnection connection = sent.connection();
    Channel channel = ((ConnectionBase) connection).channel();
    if (channel.isActive() && channel.pipeline().get(SignOfLife.class) == null) {
      long late = vertx.setTimer(connect.toMillis(), dead -> Closing.atOnce(connection));
      channel.pipeline().addFirst(new SignOfLife(() -> vertx.cancelTimer(late)));
      connection.ping(Buffer.buffer(new byte[8]));
    }
  }

  /** Gives up a request of which nothing was sent. */
  static void discard(HttpClientRequest unsent) {
    if (isHttp2(unsent)) {
      // Vert.x does not take back a stream that was not begun. So the connection ends with the
      // requests that are on it.
      unsent.connection().shutdown(LONGEST_END_HOURS, TimeUnit.HOURS);
    } else {
      unsent.connection().close();
    }
  }

  static boolean isHttp2(HttpClientRequest request) {
    return request.version() == HttpVersion.HTTP_2;
  }
}
