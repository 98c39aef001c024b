package dev.pacegate.proxy;

import dev.pacegate.adapter.RequestPacing;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpServerRequest;
import java.util.function.Predicate;

/**
 * Where requests go, and how they are paced.
 *
 * @param cost what the pacing charges
 * @param mayWait whether a request may wait that has just begun to
 */
record Route(
    Upstream upstream,
    RequestPacing<HttpServerRequest, HttpClientResponse> pacing,
    RouteCost cost,
    Predicate<HttpServerRequest> mayWait) {

  Route(
      Upstream upstream, ProxyPacing pacing, RouteCost cost, Predicate<HttpServerRequest> mayWait) {
    this(
        upstream,
        cost.equals(RouteCost.ONE) ? pacing.build() : pacing.cost(cost::of).build(),
        cost,
        mayWait);
  }
}
