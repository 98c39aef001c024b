package dev.pacegate.proxy;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientOptions;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * One client for each way to speak to upstreams, as that is an option of a client. Confined to the
 * event loop.
 */
final class UpstreamClients {

  private final Vertx vertx;
  private final Duration connect;
  private final UnaryOperator<HttpClientOptions> more;
  private final Map<String, UpstreamClient> clients = new HashMap<>(); // by scheme

  UpstreamClients(Vertx vertx, Duration connect, UnaryOperator<HttpClientOptions> more) {
    this.vertx = vertx;
    this.connect = connect;
    this.more = more;
  }

  UpstreamClient of(Upstream upstream) {
    String scheme = upstream.tls() ? "https" : upstream.http2() ? "h2c" : "http";
    return clients.computeIfAbsent(
        scheme, absent -> UpstreamClient.create(vertx, upstream, connect, more));
  }
}
