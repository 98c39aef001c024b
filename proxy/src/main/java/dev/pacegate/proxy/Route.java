package dev.pacegate.proxy;

import dev.pacegate.adapter.RequestPacing;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpServerRequest;

/**
 * Where requests go, and how they are paced.
 *
 * @param cost what the pacing charges
 */
record Route(
    Upstream upstream,
    RequestPacing<HttpServerRequest, HttpClientResponse> pacing,
    RouteCost cost) {

  Route(Upstream upstream, ProxyPacing pacing, RouteCost cost) {
    this(
        upstream,
        cost.equals(RouteCost.ONE) ? pacing.build() : pacing.cost(cost::of).build(),
        cost);
  }
}
