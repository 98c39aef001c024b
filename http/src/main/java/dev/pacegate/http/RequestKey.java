package dev.pacegate.http;

import dev.pacegate.adapter.HostKey;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Functions that compute the key by which requests are counted together. */
public final class RequestKey {

  private RequestKey() {}

  /**
   * The host as {@link HostKey} spells it, and the port if the URI names one that is not the
   * scheme's default. Requests to the same host by http and by https are counted together.
   */
  public static Function<HttpRequest, String> host() {
    return request -> HostKey.of(request.uri());
  }

  /**
   * The host, and the first value of the header {@code name}, such as an API key. The name of such
   * a limiter, which its snapshot and {@code toString} show, contains that value.
   */
  public static Function<HttpRequest, String> header(String name) {
    return request ->
        HostKey.of(request.uri()) + " " + request.headers().firstValue(name).orElse("");
  }

  /**
   * The host, and the first of {@code templates} that matches the path: {@code /users/*} and {@code
   * /users/{id}} stand for any one segment, a {@code **} at the end for any number. If none
   * matches, the host alone. Paths are compared as written: {@code //}, {@code ..} and {@code %75}
   * are not resolved.
   */
  public static Function<HttpRequest, String> path(String... templates) {
    List<PathTemplate> known = Stream.of(templates).map(PathTemplate::of).toList();
    return request -> {
      String host = HostKey.of(request.uri());
      String path = request.uri().getRawPath();
      return known.stream()
          .filter(template -> template.pattern.matcher(path == null ? "" : path).matches())
          .findFirst()
          .map(template -> host + template.text)
          .orElse(host);
    };
  }

  private record PathTemplate(String text, Pattern pattern) {

    static PathTemplate of(String text) {
      if (!text.startsWith("/")) {
        throw new IllegalArgumentException("a path template must begin with /: " + text);
      }
      boolean open = text.endsWith("/**");
      String path = open ? text.substring(0, text.length() - 3) : text;
      var pattern = new StringBuilder();
      for (String segment : path.split("/", -1)) {
        pattern.append(pattern.isEmpty() ? "" : "/").append(patternOf(segment));
      }
      String regex = path.isEmpty() ? "" : "/" + pattern;
      return new PathTemplate(text, Pattern.compile(regex + (open ? "(/.*)?" : "")));
    }

    private static String patternOf(String segment) {
      boolean any = segment.equals("*") || (segment.startsWith("{") && segment.endsWith("}"));
      return any ? "[^/]+" : Pattern.quote(segment);
    }
  }
}
