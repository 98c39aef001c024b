package dev.pacegate.proxy;

import static java.util.Objects.requireNonNull;

import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The routes of one content of a file. Immutable.
 *
 * @param file what the file says
 * @param routes one for each of its routes
 */
record RouteTable(ProxyFile file, List<Route> routes) implements Routing {

  static RouteTable of(ProxyFile file, Map<String, NamedLimit> limits) {
    var routes = new ArrayList<Route>();
    for (RouteSetting setting : file.routes()) {
      NamedLimit limit = requireNonNull(limits.get(setting.limit()));
      var pacing =
          new ProxyPacing(setting.to())
              .limiters(request -> limit.limiter(request, setting.category()));
      routes.add(
          new Route(
              setting.to(),
              pacing,
              setting.cost(),
              request -> limit.mayWait(request, setting.category())));
    }
    return new RouteTable(file, List.copyOf(routes));
  }

  @Override
  public Optional<Route> of(HttpServerRequest request) {
    for (int i = 0; i < routes.size(); i++) {
      if (file.routes().get(i).match().matches(request)) {
        return Optional.of(routes.get(i));
      }
    }
    return Optional.empty();
  }
}
