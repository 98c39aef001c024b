package dev.pacegate.spring;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

/** The options of a RestClient. */
@Timeout(60)
class InterceptorOptionsTest extends ClientOptionsCases<PacedInterceptor.InterceptorBuilder> {

  private @Nullable PacedInterceptor interceptor;
  private @Nullable RestClient client;

  InterceptorOptionsTest() throws IOException {}

  @Override
  void options(UnaryOperator<PacedInterceptor.InterceptorBuilder> options) {
    interceptor = options.apply(PacedInterceptor.builder()).build();
    client =
        RestClient.builder()
            .requestFactory(new JdkClientHttpRequestFactory())
            .requestInterceptor(interceptor)
            .build();
  }

  @Override
  PacedInterceptor.InterceptorBuilder byX(PacedInterceptor.InterceptorBuilder options) {
    return options.by(request -> "x");
  }

  @Override
  Limiter limiterOf(String key) {
    return requireNonNull(interceptor).limiters().limiter(key);
  }

  @Override
  @Nullable String get(String path) {
    return requireNonNull(client).get().uri(peer.uri(path)).retrieve().body(String.class);
  }

  @Override
  String streamed(String path) {
    return requireNonNull(
        requireNonNull(client)
            .get()
            .uri(peer.uri(path))
            .exchange((request, response) -> read(response.getBody())));
  }

  private static String read(InputStream body) throws IOException {
    var all = new StringBuilder();
    byte[] part = new byte[8192];
    int read = body.read(part);
    while (read >= 0) {
      all.append(new String(part, 0, read, StandardCharsets.US_ASCII));
      read = all.toString().equals("data: 1\n\n") ? -1 : body.read(part);
    }
    return all.toString();
  }
}
