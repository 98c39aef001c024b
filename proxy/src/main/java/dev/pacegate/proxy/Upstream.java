package dev.pacegate.proxy;

import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import java.net.URI;

/**
 * Where requests go. It comes from the configuration alone; nothing in a request changes it.
 *
 * @param http2 whether it speaks HTTP/2 without TLS; with TLS, it says so itself
 * @param path what is put before the path of each request, without a slash at its end
 */
record Upstream(String host, int port, boolean tls, boolean http2, String path) {

  /**
   * Reads an address such as {@code https://api.example.com/v1}.
   *
   * @throws IllegalArgumentException if it is none, or has what a request brings
   */
  static Upstream of(URI address) {
    String scheme = String.valueOf(address.getScheme());
    boolean tls = scheme.equalsIgnoreCase("https");
    boolean http2 = scheme.equalsIgnoreCase("h2c");
    check(
        tls || http2 || scheme.equalsIgnoreCase("http"),
        "begin with https://, http:// or h2c://, such as https://api.example.com",
        address);
    check(address.getRawUserInfo() == null, "have no credentials: requests bring them", address);
    check(address.getHost() != null, "name a host, such as https://api.example.com", address);
    check(
        address.getRawQuery() == null && address.getRawFragment() == null,
        "have no query and no fragment: requests bring them",
        address);
    int port = address.getPort() >= 0 ? address.getPort() : tls ? 443 : 80;
    return new Upstream(address.getHost(), port, tls, http2, path(address));
  }

  private static void check(boolean holds, String rule, URI address) {
    if (!holds) {
      throw new IllegalArgumentException("the upstream must " + rule + shown(address));
    }
  }

  /** Leaves out what may be secret. */
  private static String shown(URI address) {
    String text = address.toString().replaceFirst("[?#].*", "");
    return text.contains("@") ? "" : ": " + text;
  }

  private static String path(URI address) {
    String path = address.getRawPath();
    return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
  }

  RequestOptions request(HttpMethod method, String target) {
    return new RequestOptions()
        .setMethod(method)
        .setHost(host)
        .setPort(port)
        .setSsl(tls)
        .setURI(target.equals("*") ? target : path + target)
        .setFollowRedirects(false);
  }

  /** Returns the host, and the port if it is not that of the scheme. */
  @Override
  public String toString() {
    return port == (tls ? 443 : 80) ? host : host + ":" + port;
  }
}
