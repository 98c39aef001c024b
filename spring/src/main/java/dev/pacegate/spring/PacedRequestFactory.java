package dev.pacegate.spring;

import dev.pacegate.Limiter;
import dev.pacegate.http.PacedHttpClient;
import java.net.http.HttpClient;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.reactive.JdkClientHttpConnector;

/**
 * Makes what RestClient, RestTemplate and WebClient send with, on a {@link PacedHttpClient}.
 *
 * <p><b>Promise.</b> That of the limit, for all that is sent: each redirect that is followed, each
 * round of authentication and each repetition takes a permit of its own. A read time-out that is
 * set on the factory includes the wait for the permit; a request's own time-out does not.
 */
public final class PacedRequestFactory {

  private PacedRequestFactory() {}

  /** Returns a factory for RestClient and RestTemplate that follows redirects. */
  public static JdkClientHttpRequestFactory of(Limiter limiter) {
    return new JdkClientHttpRequestFactory(client(limiter));
  }

  /** Returns a connector for WebClient that follows redirects. */
  public static JdkClientHttpConnector connector(Limiter limiter) {
    return new JdkClientHttpConnector(client(limiter));
  }

  private static HttpClient client(Limiter limiter) {
    HttpClient.Builder plain = HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL);
    return PacedHttpClient.builder(plain).limiter(limiter).build();
  }
}
