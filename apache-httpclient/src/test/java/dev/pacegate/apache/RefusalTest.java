package dev.pacegate.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerVerdict;
import dev.pacegate.adapter.tck.RawServer;
import dev.pacegate.limit.Cost;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.io.entity.BufferedHttpEntity;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.InputStreamEntity;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** What responses say reaches the limiter, and refused requests are sent again. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class RefusalTest extends ApacheCases {

  /** Refuses the first two, in their bodies as well. */
  private RawServer refusing(int status, String... headers) throws IOException {
    return server(
        (request, connection) -> {
          if (request.number() <= 2) {
            var lines = String.join("", List.of(headers).stream().map(h -> h + "\r\n").toList());
            connection.write(
                "HTTP/1.1 " + status + " X\r\n" + lines + "Content-Length: 4\r\n\r\nfull");
          } else {
            connection.ok(request.body() + "hello");
          }
        });
  }

  /** Without the client's own retries. */
  private PacedApache once() {
    return options(plain().disableAutomaticRetries());
  }

  /** On one connection: a refusal does not cost another. */
  @Test
  void aRefusedRequestIsSentAgainOnTheSameConnection() throws IOException {
    RawServer server = refusing(429);
    assertEquals("hello", get(paced(once().retryRefused(2)), server.uri("/")));
    assertPermits(3, server);
    assertEquals(2, limiter.snapshot().refusedByPeer());
    assertEquals(3, server.requests().get(2).number());
  }

  @Test
  void theLastRefusalIsReturned() throws IOException {
    RawServer server = refusing(429);
    assertEquals("full", get(paced(once().retryRefused(1)), server.uri("/")));
    assertPermits(2, server);
  }

  @Test
  void aRefusedRequestWaitsAsTheResponseSays() throws IOException {
    RawServer server =
        server(
            (request, connection) -> {
              if (request.number() == 1) {
                connection.status(429, "Retry-After: 1");
              } else {
                connection.ok("hello");
              }
            });
    assertEquals("hello", get(paced(once().retryRefused(1)), server.uri("/")));
    List<Long> arrivals = server.instants();
    assertTrue(arrivals.get(1) - arrivals.get(0) >= TimeUnit.SECONDS.toNanos(1));
    assertPermits(2, server);
  }

  /** HttpClient repeats 429 once, too: the retries of both are counted for the call. */
  @Test
  void theClientsRetriesOfRefusalsTakePermitsToo() throws IOException {
    RawServer server = server((request, connection) -> connection.status(429));
    get(paced(options().retryRefused(1)), server.uri("/"));
    assertPermits(3, server);
    assertEquals(3, limiter.snapshot().refusedByPeer());
  }

  @Test
  void aRefusedBodyIsSentAgainIfChosen() throws IOException {
    RawServer server = refusing(429);
    var post = new HttpPost(server.uri("/"));
    post.setEntity(new StringEntity("say "));
    String answer =
        paced(once().retryRefused(2, request -> true))
            .execute(post, response -> EntityUtils.toString(response.getEntity(), 100));
    assertEquals("say hello", answer);
    assertPermits(3, server);
  }

  @Test
  void aBodyThatIsAStreamIsNotSentAgain() throws IOException {
    RawServer server = refusing(429);
    var post = new HttpPost(server.uri("/"));
    var bytes = new java.io.ByteArrayInputStream("say ".getBytes(StandardCharsets.US_ASCII));
    post.setEntity(new InputStreamEntity(bytes, 4, null));
    String answer =
        paced(once().retryRefused(2, request -> true))
            .execute(post, response -> EntityUtils.toString(response.getEntity(), 100));
    assertEquals("full", answer);
    assertPermits(1, server);
  }

  private static String text(ClassicHttpResponse response) {
    try {
      response.setEntity(new BufferedHttpEntity(response.getEntity()));
      return Objects.requireNonNull(EntityUtils.toString(response.getEntity(), 100));
    } catch (Exception broken) {
      throw new IllegalStateException(broken);
    }
  }

  private static PeerAnswer judged(ClassicHttpResponse response) {
    return text(response).equals("full") ? PeerAnswer.of(PeerVerdict.REFUSED) : PeerAnswer.NOTHING;
  }

  @Test
  void aRefusalInTheBodyIsSentAgain() throws IOException {
    RawServer server = refusing(200);
    PacedApache options = once().refused(RefusalTest::judged).retryRefused(2);
    assertEquals("hello", get(paced(options), server.uri("/")));
    assertPermits(3, server);
    assertEquals(2, limiter.snapshot().refusedByPeer());
  }

  @Test
  void aRefusalInTheBodyOfAPostIsSentAgainIfChosen() throws IOException {
    RawServer server = refusing(200);
    var post = new HttpPost(server.uri("/"));
    post.setEntity(new StringEntity("say "));
    PacedApache options = once().refused(RefusalTest::judged).retryRefused(2, request -> true);
    String answer =
        paced(options).execute(post, response -> EntityUtils.toString(response.getEntity(), 100));
    assertEquals("say hello", answer);
    assertPermits(3, server);
  }

  @Test
  void theCostIsSettledFromTheBody() throws IOException {
    RawServer server =
        server(
            (request, connection) -> {
              if (request.path().equals("/")) {
                connection.status(302, "Location: /end");
              } else {
                connection.ok("10");
              }
            });
    Limiter tokens = Limiter.of("peer(1000/1h of tokens)");
    PacedApache options =
        once()
            .limiter(tokens)
            .cost(request -> Cost.of("tokens", 100))
            .settle((response, cost) -> Cost.of("tokens", Integer.parseInt(text(response))))
            .refused(RefusalTest::judged);
    assertEquals("10", get(paced(options), server.uri("/")));
    assertTrue(tokens.bottleneck(Cost.of("tokens", 890)).isEmpty()); // the redirect stays at 100
    assertTrue(tokens.bottleneck(Cost.of("tokens", 891)).isPresent());
    assertEquals(0, tokens.snapshot().open());
  }

  @Test
  void aFunctionThatThrowsLeavesNothingOpen() throws IOException {
    RawServer server = refusing(429);
    CloseableHttpClient client =
        paced(
            once()
                .retryRefused(
                    1,
                    request -> {
                      throw new UncheckedIOException(new IOException("choice"));
                    }));
    assertThrows(UncheckedIOException.class, () -> get(client, server.uri("/")));
    assertPermits(1, server);
  }
}
