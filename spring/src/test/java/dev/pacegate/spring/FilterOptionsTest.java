package dev.pacegate.spring;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.web.reactive.function.client.WebClient;

/** The options of a WebClient. */
@Timeout(60)
class FilterOptionsTest extends ClientOptionsCases<PacedExchangeFilter.FilterBuilder> {

  private @Nullable PacedExchangeFilter filter;
  private @Nullable WebClient client;

  FilterOptionsTest() throws IOException {}

  @Override
  void options(UnaryOperator<PacedExchangeFilter.FilterBuilder> options) {
    filter = options.apply(PacedExchangeFilter.builder()).build();
    client =
        WebClient.builder().clientConnector(new JdkClientHttpConnector()).filter(filter).build();
  }

  @Override
  PacedExchangeFilter.FilterBuilder byX(PacedExchangeFilter.FilterBuilder options) {
    return options.by(request -> "x");
  }

  @Override
  Limiter limiterOf(String key) {
    return requireNonNull(filter).limiters().limiter(key);
  }

  @Override
  @Nullable String get(String path) {
    return requireNonNull(client)
        .get()
        .uri(peer.uri(path))
        .retrieve()
        .bodyToMono(String.class)
        .block(LONG);
  }

  @Override
  String streamed(String path) {
    var all = new StringBuilder();
    requireNonNull(client)
        .get()
        .uri(peer.uri(path))
        .retrieve()
        .bodyToFlux(DataBuffer.class)
        .doOnNext(part -> all.append(text(part)))
        .takeUntil(part -> all.toString().equals("data: 1\n\n"))
        .blockLast(LONG);
    return all.toString();
  }

  private static String text(DataBuffer part) {
    String text = part.toString(StandardCharsets.US_ASCII);
    DataBufferUtils.release(part);
    return text;
  }
}
