package dev.pacegate.http;

import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;

/** The client that sends: it follows no redirects and has no authenticator. */
final class PlainClient {

  private PlainClient() {}

  /**
   * Returns whether it is the JDK's own, which asks for a body's length once each time it sends.
   */
  static boolean isOfJdk(HttpClient client) {
    return client.getClass().getModule() == HttpClient.class.getModule();
  }

  /**
   * Returns {@code client} if it follows nothing, otherwise a copy that does not.
   *
   * @throws IllegalArgumentException if it follows something and is not the JDK's own
   */
  static HttpClient of(HttpClient client) {
    if (client.followRedirects() == Redirect.NEVER && client.authenticator().isEmpty()) {
      return client;
    }
    if (!isOfJdk(client)) {
      throw new IllegalArgumentException(
          "the client must follow no redirects and have no authenticator because each of their requests"
              + " takes a permit: "
              + client);
    }
    return copy(client).build();
  }

  /** Begins a copy of the JDK's own client, without what it follows. */
  static HttpClient.Builder copy(HttpClient client) {
    HttpClient.Builder copy =
        HttpClient.newBuilder()
            .sslContext(client.sslContext())
            .sslParameters(client.sslParameters())
            .version(client.version());
    client.cookieHandler().ifPresent(copy::cookieHandler);
    client.connectTimeout().ifPresent(copy::connectTimeout);
    client.proxy().ifPresent(copy::proxy);
    client.executor().ifPresent(copy::executor);
    return copy;
  }

  /**
   * Returns a client as {@code asked}, built by {@code builder}, except that it follows nothing.
   */
  static HttpClient of(HttpClient.Builder builder, HttpClient asked) {
    if (asked.followRedirects() == Redirect.NEVER || asked.authenticator().isPresent()) {
      return of(asked);
    }
    HttpClient plain = builder.followRedirects(Redirect.NEVER).build();
    builder.followRedirects(asked.followRedirects());
    return plain;
  }
}
