package dev.pacegate.proxy;

import java.util.List;

/**
 * A route of a configuration file.
 *
 * @param limit the name of its limit
 */
record RouteSetting(
    RouteMatch match, Upstream to, String limit, RouteCost cost, RouteClass category) {

  static final List<String> KEYS = List.of("match", "to", "limit", "cost", "class");

  @Override
  public String toString() {
    return match + " -> " + to + ", limit " + limit + cost.text() + category.text();
  }
}
