package dev.pacegate.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a configuration file says: limits by name, and the routes that use them.
 *
 * @param routes in their order: the first that matches decides
 */
record ProxyFile(Map<String, LimitSetting> limits, List<RouteSetting> routes) {

  private static final int MOST_BYTES = 256 * 1024;

  private static final List<String> KEYS = List.of("to", "limits", "routes");

  /** What a file that is read again could not change. */
  private static final List<String> OPTIONS =
      List.of(
          "listen", "admin", "max-wait", "queue", "queue-per-client", "drain", "state", "store");

  /** Reads the bytes of a file; fails if it is too long to be a configuration. */
  static byte[] bytes(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] content = in.readNBytes(MOST_BYTES + 1);
      if (content.length > MOST_BYTES) {
        throw new IllegalArgumentException(file + " is longer than " + MOST_BYTES + " bytes");
      }
      return content;
    }
  }

  /**
   * Parses the content of a file.
   *
   * @throws IllegalArgumentException if it is wrong; the message names the file and the place
   */
  static ProxyFile parse(String file, byte[] content) {
    var root = new ConfigNode(file, BoundedYaml.parse(file, decode(file, content)));
    if (root.isMap()) {
      root.entries("the file").forEach(ProxyFile::checkNoOption);
    }
    Map<String, ConfigNode> fields = root.fields("the file", KEYS);
    ConfigNode limits = needed(root, fields, "limits", "limits: {api: 10/1s}");
    ConfigNode routes = needed(root, fields, "routes", "routes: [{limit: api}]");
    var byName = new LinkedHashMap<String, LimitSetting>();
    limits.entries("limits").forEach((name, at) -> byName.put(name, LimitSetting.read(name, at)));
    if (byName.isEmpty()) {
      throw limits.wrong("limits is empty");
    }
    ConfigNode to = fields.get("to");
    return new ProxyFile(byName, routes(routes, byName, to == null ? null : upstream(to)));
  }

  /** Returns a line for each thing that is allowed but hardly meant. */
  List<String> warnings() {
    var warnings = new ArrayList<String>();
    limits.values().forEach(limit -> limit.warnings().forEach(warnings::add));
    var unnamed = new LinkedHashSet<>(limits.keySet());
    routes.forEach(route -> unnamed.remove(route.limit()));
    unnamed.forEach(name -> warnings.add("limit " + name + ": no route names it"));
    List<RouteMatch> matches = routes.stream().map(RouteSetting::match).toList();
    for (int i = 0; i < matches.size(); i++) {
      for (int before = 0; before < i; before++) {
        if (matches.get(before).takesAllOf(matches.get(i))) {
          warnings.add(
              "route %d: no request comes here: route %d takes them all"
                  .formatted(i + 1, before + 1));
          break;
        }
      }
    }
    return warnings;
  }

  private static String decode(String file, byte[] content) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(file + ": the file must be in UTF-8", e);
    }
  }

  private static void checkNoOption(String key, ConfigNode value) {
    if (OPTIONS.contains(key)) {
      throw value.wrong(
          key + " is no part of the file, as it cannot change while the proxy runs: give --" + key);
    }
  }

  private static ConfigNode needed(
      ConfigNode node, Map<String, ConfigNode> fields, String key, String example) {
    ConfigNode value = fields.get(key);
    if (value == null) {
      throw node.wrong(key + " is missing, such as " + example);
    }
    return value;
  }

  private static Upstream upstream(ConfigNode node) {
    try {
      return Upstream.of(new URI(node.text("to")));
    } catch (URISyntaxException e) {
      throw node.wrong("to must be an address such as https://api.example.com");
    } catch (IllegalArgumentException e) {
      throw node.wrong(String.valueOf(e.getMessage()));
    }
  }

  private static List<RouteSetting> routes(
      ConfigNode list, Map<String, LimitSetting> limits, @Nullable Upstream to) {
    var routes = new ArrayList<RouteSetting>();
    for (ConfigNode item : list.items("routes")) {
      if (!routes.isEmpty() && routes.get(routes.size() - 1).match().equals(RouteMatch.ALL)) {
        throw item.wrong("no request comes here: the route before has no match, so it takes all");
      }
      routes.add(route(item, limits, to));
    }
    if (routes.isEmpty()) {
      throw list.wrong("routes is empty");
    }
    return List.copyOf(routes);
  }

  private static RouteSetting route(
      ConfigNode node, Map<String, LimitSetting> limits, @Nullable Upstream to) {
    Map<String, ConfigNode> fields = node.fields("a route", RouteSetting.KEYS);
    ConfigNode named = needed(node, fields, "limit", "limit: api");
    String name = named.text("limit");
    LimitSetting limit = limits.get(name);
    if (limit == null) {
      throw named.wrong(
          "there is no limit \"" + name + '"' + Spelling.advice(name, limits.keySet()));
    }
    ConfigNode own = fields.get("to");
    Upstream upstream = own == null ? to : upstream(own);
    if (upstream == null) {
      throw node.wrong("to is missing, here or at the top, such as to: https://api.example.com");
    }
    ConfigNode match = fields.get("match");
    return new RouteSetting(
        match == null ? RouteMatch.ALL : RouteMatch.read(match),
        upstream,
        name,
        cost(fields.get("cost"), limit),
        category(fields.get("class"), limit));
  }

  private static RouteCost cost(@Nullable ConfigNode node, LimitSetting limit) {
    RouteCost cost = node == null ? RouteCost.ONE : RouteCost.read(node);
    if (node != null && !cost.equals(RouteCost.ONE)) {
      NamedLimit.checkCost(limit, cost, node);
    }
    return cost;
  }

  private static RouteClass category(@Nullable ConfigNode node, LimitSetting limit) {
    if (node == null) {
      return RouteClass.STANDARD;
    }
    if (limit.keys() != null) {
      throw node.wrong("a limit per key has no classes: its keys take turns");
    }
    return RouteClass.read(node);
  }
}
