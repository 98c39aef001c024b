package dev.pacegate.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerVerdict;
import dev.pacegate.adapter.Answered;
import dev.pacegate.adapter.tck.RawServer;
import dev.pacegate.feedback.Feedback;
import dev.pacegate.limit.Cost;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A response is a refusal, whatever its status, if a function says so. */
@Timeout(60)
class RefusedTest extends PacedHttpCases {

  private static final Feedback SOON = Feedback.standard().pause(Duration.ofMillis(20));
  private static final String FULL = "{\"retCode\":10006}";

  /** As Bybit does: status 200, and the refusal in the body. */
  private static PeerAnswer judged(HttpResponse<?> response) {
    boolean full = response.body() instanceof String body && body.contains("10006");
    return full ? PeerAnswer.of(PeerVerdict.REFUSED) : PeerAnswer.NOTHING;
  }

  private PacedHttpClient.Builder judging() {
    return PacedHttpClient.builder(plain())
        .limiter(limiter)
        .feedback(SOON)
        .refused(RefusedTest::judged);
  }

  private RawServer refusing(int times) throws IOException {
    var left = new AtomicInteger(times);
    return server(
        (request, connection) -> connection.ok(left.getAndDecrement() > 0 ? FULL : "hello"));
  }

  private static HttpResponse<String> send(HttpClient client, HttpRequest request, boolean async)
      throws Exception {
    return async ? client.sendAsync(request, BodyHandlers.ofString()).get() : send(client, request);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRefusalInTheBodyIsCountedAndReturned(boolean async) throws Exception {
    PacedHttpClient client = judging().build();
    assertEquals(FULL, send(client, get(refusing(1).uri("/")), async).body());
    assertGranted(1);
    assertEquals(1, limiter.snapshot().refusedByPeer());
    assertEquals(0, limiter.snapshot().lost());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRefusalInTheBodyIsRepeated(boolean async) throws Exception {
    RawServer server = refusing(2);
    HttpResponse<String> answer =
        send(judging().retryRefused(3).build(), get(server.uri("/")), async);
    assertEquals("hello", answer.body());
    assertTrue(answer.previousResponse().isPresent());
    assertEquals(3, server.arrivals());
    assertGranted(3);
    assertEquals(2, limiter.snapshot().refusedByPeer());
    assertEquals(0, limiter.snapshot().lost());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theLastRefusalIsReturned(boolean async) throws Exception {
    RawServer server = refusing(9);
    PacedHttpClient client = judging().retryRefused(2).build();
    assertEquals(FULL, send(client, get(server.uri("/")), async).body());
    assertEquals(FULL, send(client, post(server.uri("/"), "x"), async).body());
    assertGranted(4);
    assertEquals(4, limiter.snapshot().refusedByPeer());
  }

  /** A bare 429, too, so that the function can find the wait in its body. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theBodyMayStateTheWait(boolean async) throws Exception {
    RawServer server =
        server(
            (request, connection) ->
                connection.write("HTTP/1.1 429 \r\nContent-Length: 3\r\n\r\n3.5"));
    PacedHttpClient client =
        judging()
            .refused(
                response ->
                    PeerAnswer.NOTHING.withRetryAfter(
                        Duration.ofMillis((long) (1e3 * Double.parseDouble("" + response.body()))),
                        "the body"))
            .build();
    send(client, get(server.uri("/")), async);
    assertEquals(1, limiter.snapshot().refusedByPeer());
    assertTrue(limiter.estimateWait(1).toMillis() > 1_000, "waits as long as the body says");
  }

  /** The function has no part in a stream's bytes; what it says of headers counts. */
  @Test
  void aStreamThatIsRefusedIsClosedAndRepeated() throws Exception {
    var left = new AtomicInteger(1);
    RawServer server =
        server(
            (request, connection) -> {
              if (left.getAndDecrement() > 0) {
                connection.status(499);
              } else {
                connection.ok("hello");
              }
            });
    PacedHttpClient client =
        judging()
            .refused(
                response ->
                    response.statusCode() == 499 ? PeerAnswer.of(PeerVerdict.REFUSED) : null)
            .retryRefused(1)
            .build();
    try (InputStream body =
        client.send(get(server.uri("/")), BodyHandlers.ofInputStream()).body()) {
      assertEquals("hello", new String(body.readAllBytes(), US_ASCII));
    }
    assertGranted(2);
  }

  /** Nobody will subscribe to it, so its connection would stay open for ever. */
  @Test
  void aPublisherThatIsRefusedIsCancelledAndRepeated() throws Exception {
    var closed = new CountDownLatch(1);
    var left = new AtomicInteger(1);
    RawServer server =
        server(
            (request, connection) -> {
              if (left.getAndDecrement() > 0) {
                connection.write("HTTP/1.1 499 \r\nContent-Length: 9\r\n\r\nhello");
                connection.socket().getInputStream().read(); // -1, or the client has reset it
                closed.countDown();
              } else {
                connection.ok("hello");
              }
            });
    PacedHttpClient client =
        judging()
            .refused(
                response ->
                    response.statusCode() == 499 ? PeerAnswer.of(PeerVerdict.REFUSED) : null)
            .retryRefused(1)
            .build();
    assertEquals(200, client.send(get(server.uri("/")), BodyHandlers.ofPublisher()).statusCode());
    assertTrue(closed.await(20, SECONDS), "the connection of the refusal is open");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFunctionThatThrowsLeavesTheAnswer(boolean async) throws Exception {
    PacedHttpClient client =
        judging()
            .refused(
                response -> {
                  throw new AssertionError("refused");
                })
            .build();
    assertEquals(FULL, send(client, get(refusing(1).uri("/")), async).body());
    assertGranted(1);
    assertEquals(0, limiter.snapshot().refusedByPeer());
  }

  /** The choice of retries is asked when the body has been read: no permit stays open. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aChoiceThatThrowsFailsTheCall(boolean async) throws Exception {
    PacedHttpClient client =
        judging()
            .retryRefused(
                1,
                request -> {
                  throw new IllegalStateException("choice");
                })
            .build();
    RawServer server = refusing(1);
    Class<? extends Exception> thrown =
        async ? ExecutionException.class : IllegalStateException.class;
    assertThrows(thrown, () -> send(client, get(server.uri("/")), async));
    assertGranted(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRepeatedRefusalIsNotSettled(boolean async) throws Exception {
    var settled = new AtomicInteger();
    PacedHttpClient client =
        judging()
            .retryRefused(1)
            .cost(request -> Cost.of(2))
            .settle(
                (response, cost) -> {
                  settled.incrementAndGet();
                  return cost;
                })
            .build();
    send(client, get(refusing(1).uri("/")), async);
    assertGranted(2);
    assertEquals(1, settled.get());
  }

  @Test
  void aResponseOfARedirectIsNotJudged() throws Exception {
    var judged = new AtomicInteger();
    RawServer server =
        server(
            (request, connection) -> {
              if (request.path().equals("/")) {
                connection.status(302, "Location: /there");
              } else {
                connection.ok("there");
              }
            });
    PacedHttpClient client =
        judging()
            .followRedirects(HttpClient.Redirect.NORMAL)
            .refused(
                response -> {
                  judged.incrementAndGet();
                  return null;
                })
            .build();
    assertEquals("there", send(client, get(server.uri("/"))).body());
    assertEquals(1, judged.get());
    assertGranted(2);
  }

  @Test
  void contradictionsAreRefused() {
    assertThrows(IllegalStateException.class, () -> judging().answered(Answered.HEADERS).build());
    assertThrows(IllegalStateException.class, () -> judging().withoutFeedback().build());
    assertDoesNotThrow(() -> judging().answered(Answered.BODY).build());
  }
}
