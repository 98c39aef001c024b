package dev.pacegate.proxy;

import static java.util.Objects.requireNonNullElse;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The requests that a route is for: those that meet all conditions. What is empty is no condition.
 *
 * @param host the host that the client asks for, in small letters; {@code *.} at its beginning
 *     stands for any names
 * @param path {@code *} at its end stands for anything
 * @param methods one of these
 * @param headers all of these, with that value or, for {@code *}, any
 */
record RouteMatch(String host, String path, List<String> methods, Map<String, String> headers) {

  static final RouteMatch ALL = new RouteMatch("", "", List.of(), Map.of());

  private static final List<String> KEYS = List.of("host", "path", "method", "headers");
  private static final String ANY = "*";

  private static final Pattern ESCAPE = Pattern.compile("%([0-9a-fA-F]{2})");

  /** The characters that mean something else if they are not encoded. */
  private static final String ENCODED = "/%?#";

  private static final Pattern SLASHES = Pattern.compile("//+");

  static RouteMatch read(ConfigNode node) {
    Map<String, ConfigNode> fields = node.fields("match", KEYS);
    if (fields.isEmpty()) {
      throw node.wrong("match is empty: leave it out if the route is for all requests");
    }
    String host = "";
    String path = "";
    List<String> methods = List.of();
    Map<String, String> headers = Map.of();
    for (var field : fields.entrySet()) {
      ConfigNode value = field.getValue();
      switch (field.getKey()) {
        case "host" -> host = host(value);
        case "path" -> path = path(value);
        case "method" -> methods = methods(value);
        default -> headers = headers(value);
      }
    }
    return new RouteMatch(host, path, methods, headers);
  }

  private static String host(ConfigNode node) {
    String host = node.text("host").toLowerCase(Locale.ROOT);
    if (!host.matches("(\\*\\.)?[a-z0-9_-]+(\\.[a-z0-9_-]+)*\\.?|\\[[0-9a-f:.]+]")) {
      throw node.wrong(
          "host must be a name without a port, such as a.example.com or *.example.com");
    }
    return withoutDot(host);
  }

  private static String path(ConfigNode node) {
    String path = node.text("path");
    if (RequestRules.isAmbiguous(path)) {
      throw node.wrong("path is ambiguous: such requests are not passed on");
    }
    if (!path.startsWith("/")) {
      throw node.wrong("path must begin with /, such as /v1/*");
    }
    if (path.substring(0, path.length() - 1).contains(ANY)) {
      throw node.wrong("path may have a * at its end alone, such as /v1/*");
    }
    if (!path.matches("[\\x21-\\x7e&&[^?#]]*")) {
      throw node.wrong("path must have no query, no # and no characters that must be encoded");
    }
    if (!normal(path).equals(path)) {
      throw node.wrong("path must be written as it is compared: " + normal(path));
    }
    return path;
  }

  private static List<String> methods(ConfigNode node) {
    var methods = new ArrayList<String>();
    for (ConfigNode item : node.itemOrItems("method")) {
      String method = item.text("method");
      if (!method.matches("[A-Z]+(-[A-Z]+)*")) {
        throw item.wrong("method must be in capitals, such as POST");
      }
      methods.add(method);
    }
    if (methods.isEmpty()) {
      throw node.wrong("method is empty");
    }
    return List.copyOf(methods);
  }

  private static Map<String, String> headers(ConfigNode node) {
    var headers = new LinkedHashMap<String, String>();
    for (var entry : node.entries("headers").entrySet()) {
      String name = entry.getKey();
      if (!HeaderKey.isName(name)) {
        throw entry.getValue().wrong("no header can have the name '" + name + "'");
      }
      if (headers.keySet().stream().anyMatch(name::equalsIgnoreCase)) {
        throw entry.getValue().wrong(name + " is given twice");
      }
      headers.put(name, entry.getValue().text(name));
    }
    if (headers.isEmpty()) {
      throw node.wrong("headers is empty: leave it out");
    }
    return headers;
  }

  boolean matches(HttpServerRequest request) {
    return (host.isEmpty() || matchesHost(request))
        && (path.isEmpty() || matchesPath(request))
        && (methods.isEmpty() || methods.contains(request.method().name()))
        && headers.entrySet().stream().allMatch(wanted -> matchesHeader(request, wanted));
  }

  /** Whether each request that {@code other} is for meets these conditions, as far as is plain. */
  boolean takesAllOf(RouteMatch other) {
    return (host.isEmpty() || isHost(other.host))
        && (path.isEmpty() || isPath(other.path))
        && (methods.isEmpty() || (!other.methods.isEmpty() && methods.containsAll(other.methods)))
        && headers.entrySet().stream()
            .allMatch(
                wanted -> other.headers.entrySet().stream().anyMatch(has -> isIn(wanted, has)));
  }

  private static boolean isIn(Map.Entry<String, String> wanted, Map.Entry<String, String> has) {
    return wanted.getKey().equalsIgnoreCase(has.getKey())
        && (wanted.getValue().equals(ANY) || wanted.getValue().equals(has.getValue()));
  }

  private boolean matchesHost(HttpServerRequest request) {
    HostAndPort asked = request.authority();
    if (asked == null) {
      return false;
    }
    return isHost(withoutDot(asked.host().toLowerCase(Locale.ROOT)));
  }

  private boolean isHost(String name) {
    return host.startsWith("*.") ? name.endsWith(host.substring(1)) : name.equals(host);
  }

  /** A dot at the end says that the name is whole; it is the same one. */
  private static String withoutDot(String host) {
    return host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
  }

  private boolean matchesPath(HttpServerRequest request) {
    return isPath(normal(requireNonNullElse(request.path(), "")));
  }

  private boolean isPath(String asked) {
    return path.endsWith(ANY)
        ? asked.startsWith(path.substring(0, path.length() - 1))
        : asked.equals(path);
  }

  private static boolean matchesHeader(
      HttpServerRequest request, Map.Entry<String, String> wanted) {
    List<String> values = request.headers().getAll(wanted.getKey());
    return wanted.getValue().equals(ANY) ? !values.isEmpty() : values.contains(wanted.getValue());
  }

  /** A path written in another way is the same path to most servers: it must not slip past. */
  private static String normal(String path) {
    String plain =
        ESCAPE
            .matcher(path)
            .replaceAll(escape -> Matcher.quoteReplacement(normalEscape(escape.group(1))));
    return SLASHES.matcher(plain).replaceAll("/");
  }

  private static String normalEscape(String digits) {
    int character = Integer.parseInt(digits, 16);
    boolean stays = character <= ' ' || character > '~' || ENCODED.indexOf(character) >= 0;
    return stays ? "%" + digits.toUpperCase(Locale.ROOT) : String.valueOf((char) character);
  }

  /** Returns the conditions, without the values of headers: these may be secret. */
  @Override
  public String toString() {
    var text = new StringBuilder(String.join(",", methods));
    if (!host.isEmpty() || !path.isEmpty()) {
      text.append(text.isEmpty() ? "" : " ").append(host).append(path);
    }
    for (String name : headers.keySet()) {
      text.append(text.isEmpty() ? "" : " ").append("with ").append(name);
    }
    return text.isEmpty() ? "all" : text.toString();
  }
}
