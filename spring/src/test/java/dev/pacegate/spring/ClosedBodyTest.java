package dev.pacegate.spring;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.time.ManualTime;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpRequest;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

/** A response that its caller closes before the end ends its permit, and holds no thread. */
@Timeout(60)
class ClosedBodyTest {

  private final Limiter limiter =
      Limiter.builder("peer(1/1s, margin=0s)").time(ManualTime.manual()).build();

  /** A body that never ends. */
  private static final class Endless extends InputStream {
    private long bytes;

    @Override
    public int read() {
      bytes++;
      return 'x';
    }

    @Override
    public int read(byte[] into, int from, int length) {
      Arrays.fill(into, from, from + length, (byte) 'x');
      bytes += length;
      return length;
    }
  }

  private record Ok(InputStream getBody, HttpHeaders getHeaders) implements ClientHttpResponse {
    @Override
    public HttpStatusCode getStatusCode() {
      return HttpStatus.OK;
    }

    @Override
    public String getStatusText() {
      return "OK";
    }

    @Override
    public void close() {}
  }

  private record Get(URI getURI, HttpHeaders getHeaders, Map<String, Object> getAttributes)
      implements HttpRequest {
    @Override
    public HttpMethod getMethod() {
      return HttpMethod.GET;
    }
  }

  private ClientHttpResponse get(InputStream body) throws IOException {
    var request = new Get(URI.create("http://localhost/"), new HttpHeaders(), Map.of());
    return PacedInterceptor.of(limiter)
        .intercept(request, new byte[0], (sent, bytes) -> new Ok(body, new HttpHeaders()));
  }

  @Test
  void anEndlessBodyIsReadToABound() throws Exception {
    var body = new Endless();
    ClientHttpResponse response = get(body);
    CompletableFuture.runAsync(response::close).get(20, TimeUnit.SECONDS);
    assertEquals(0, limiter.snapshot().open());
    assertTrue(body.bytes <= 64 * 1024, () -> "bytes read: " + body.bytes);
  }

  @Test
  void anIdleStreamOfEventsHoldsNeitherPermitNorThread() throws Exception {
    try (var peer = new Peer()) {
      RestClient client =
          RestClient.builder()
              .requestFactory(new JdkClientHttpRequestFactory())
              .requestInterceptor(PacedInterceptor.of(limiter))
              .build();
      ClientHttpResponse response =
          requireNonNull(
              client.get().uri(peer.uri("/events")).exchange((sent, answer) -> answer, false));
      assertEquals('d', response.getBody().read());
      assertEquals(1, limiter.snapshot().open());
      CompletableFuture.runAsync(response::close).get(20, TimeUnit.SECONDS);
      assertEquals(0, limiter.snapshot().open());
    }
  }
}
