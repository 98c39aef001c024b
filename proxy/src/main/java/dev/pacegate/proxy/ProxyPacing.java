package dev.pacegate.proxy;

import dev.pacegate.adapter.PacingOptions;
import dev.pacegate.adapter.RequestPacing;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpServerRequest;

/** The options of how requests to an upstream are paced. Nothing is ever sent twice. */
final class ProxyPacing extends PacingOptions<HttpServerRequest, HttpClientResponse, ProxyPacing> {

  ProxyPacing(Upstream upstream) {
    super(new ProxyMessages(upstream));
  }

  RequestPacing<HttpServerRequest, HttpClientResponse> build() {
    return pacing();
  }
}
