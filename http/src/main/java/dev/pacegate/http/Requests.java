package dev.pacegate.http;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.util.Locale;
import java.util.Set;

/** Creates requests from others. */
final class Requests {

  /** Headers that are meant for one server only. */
  private static final Set<String> OF_ONE_ORIGIN =
      Set.of("authorization", "cookie", "origin", "referer", "host");

  private Requests() {}

  static HttpRequest withBody(HttpRequest request, BodyPublisher body) {
    return HttpRequest.newBuilder(request, (name, value) -> true)
        .method(request.method(), body)
        .build();
  }

  static HttpRequest withHeader(HttpRequest request, String name, String value) {
    return HttpRequest.newBuilder(request, (n, v) -> true).setHeader(name, value).build();
  }

  /**
   * Returns the request with another target, without headers that are meant for one server only.
   */
  static HttpRequest redirected(HttpRequest request, URI target, String method, boolean keepsBody) {
    boolean same = sameOrigin(request.uri(), target);
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(request, (name, value) -> same || goesAlong(name)).uri(target);
    BodyPublisher body = request.bodyPublisher().orElse(null);
    if (body != null && keepsBody) {
      return builder.method(method, body).build();
    }
    return method.equals("GET")
        ? builder.GET().build()
        : builder.method(method, HttpRequest.BodyPublishers.noBody()).build();
  }

  private static boolean goesAlong(String header) {
    return !OF_ONE_ORIGIN.contains(header.toLowerCase(Locale.ROOT));
  }

  static boolean sameOrigin(URI one, URI other) {
    return origin(one).equals(origin(other));
  }

  /** Returns scheme, host and port, to tell for which server credentials are. */
  static String origin(URI uri) {
    String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
    String host = uri.getHost() == null ? "" : uri.getHost().toLowerCase(Locale.ROOT);
    int usual = scheme.equals("https") ? 443 : 80;
    return scheme + ":" + host + ":" + (uri.getPort() < 0 ? usual : uri.getPort());
  }
}
