package dev.pacegate.proxy;

import io.vertx.core.MultiMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which headers pass. Those of one connection do not, nor those that tell of this side's network.
 */
final class Headers {

  private static final Set<String> OF_CONNECTION =
      Set.of(
          "connection",
          "keep-alive",
          "proxy-connection",
          "proxy-authenticate",
          "proxy-authorization",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade",
          "http2-settings");

  /** The upstream belongs to others: it need not know who called whom here. */
  private static final Set<String> OF_THIS_SIDE =
      Set.of(
          "host",
          "expect",
          "forwarded",
          "x-forwarded-for",
          "x-forwarded-host",
          "x-forwarded-port",
          "x-forwarded-proto",
          "x-real-ip",
          PermitWait.MAX_WAIT);

  private Headers() {}

  /** Returns what is sent of a request's headers. */
  static MultiMap toUpstream(MultiMap given) {
    var passing = MultiMap.caseInsensitiveMultiMap();
    pass(given, OF_THIS_SIDE, passing);
    return passing;
  }

  /** Adds what is sent back of a response's headers. */
  static void toClient(MultiMap given, MultiMap client) {
    pass(given, Set.of(), client);
  }

  private static void pass(MultiMap given, Set<String> without, MultiMap to) {
    Set<String> named = namedByConnection(given);
    for (Map.Entry<String, String> header : given) {
      String name = header.getKey().toLowerCase(Locale.ROOT);
      if (!name.startsWith(":")
          && !OF_CONNECTION.contains(name)
          && !without.contains(name)
          && !named.contains(name)) {
        to.add(header.getKey(), header.getValue());
      }
    }
  }

  /** Content-Length frames the body here as there, so no client can take it away. */
  private static Set<String> namedByConnection(MultiMap given) {
    List<String> values = given.getAll("Connection");
    if (values.isEmpty()) {
      return Set.of();
    }
    if (values.size() == 1 && values.get(0).equalsIgnoreCase("keep-alive")) {
      return Set.of(); // it does not pass anyhow
    }
    var named = new TreeSet<String>();
    for (String value : values) {
      for (String name : value.split(",", -1)) {
        named.add(name.strip().toLowerCase(Locale.ROOT));
      }
    }
    named.remove("content-length");
    return named;
  }

  static Map<String, List<String>> asMap(MultiMap headers) {
    var map = new TreeMap<String, List<String>>(String.CASE_INSENSITIVE_ORDER);
    headers.forEach(
        (name, value) -> map.computeIfAbsent(name, first -> new ArrayList<>(1)).add(value));
    return map;
  }
}
