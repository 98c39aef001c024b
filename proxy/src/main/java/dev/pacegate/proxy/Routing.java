package dev.pacegate.proxy;

import io.vertx.core.http.HttpServerRequest;
import java.util.Optional;

/** Chooses the way of each request. Its choices may change while requests are under way. */
interface Routing {

  /** Returns the route of a request; empty if there is none for it. */
  Optional<Route> of(HttpServerRequest request);
}
