package dev.pacegate.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.Answered;
import dev.pacegate.adapter.tck.RawServer;
import dev.pacegate.limit.Cost;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Costs are estimated before, and settled from the response. */
@Timeout(60)
class SettleTest extends PacedHttpCases {

  private final Limiter tokens = Limiter.of("peer(1000/1h of tokens)");

  private PacedHttpClient client(BiFunction<HttpResponse<?>, Cost, Cost> actual) {
    return PacedHttpClient.builder(plain().followRedirects(HttpClient.Redirect.NORMAL))
        .limiter(tokens)
        .cost(request -> Cost.of("tokens", 100))
        .settle(actual)
        .maxWait(Duration.ZERO)
        .build();
  }

  private long spent() throws InterruptedException {
    untilQuiet(tokens);
    for (long left = 1000; left >= 0; left--) {
      if (tokens.bottleneck(Cost.of("tokens", left)).isEmpty()) {
        return 1000 - left;
      }
    }
    throw new AssertionError();
  }

  private static Cost used(HttpResponse<?> response) {
    return Cost.of("tokens", Long.parseLong((String) response.body()));
  }

  private static HttpResponse<String> send(HttpClient client, HttpRequest request, boolean async)
      throws Exception {
    return async ? client.sendAsync(request, BodyHandlers.ofString()).get() : send(client, request);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aCostIsSettledFromTheBody(boolean async) throws Exception {
    RawServer server = server((request, connection) -> connection.ok(request.path().substring(1)));
    PacedHttpClient client = client((response, estimate) -> used(response));
    send(client, get(server.uri("/7")), async);
    assertEquals(7, spent());
    send(client, get(server.uri("/130")), async);
    assertEquals(137, spent());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theFunctionGetsTheEstimateAndTheRequest(boolean async) throws Exception {
    RawServer server = server((request, connection) -> connection.status(204));
    PacedHttpClient client =
        client(
            (response, estimate) ->
                response.request().uri().getPath().equals("/free")
                    ? Cost.of("tokens", 0)
                    : estimate);
    send(client, get(server.uri("/free")), async);
    assertEquals(0, spent());
    send(client, get(server.uri("/other")), async);
    assertEquals(100, spent());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFunctionThatThrowsOrReturnsNothingLeavesTheEstimate(boolean async) throws Exception {
    RawServer server = server((request, connection) -> connection.ok("no number"));
    HttpResponse<String> answer =
        send(client((response, estimate) -> used(response)), get(server.uri("/")), async);
    assertEquals("no number", answer.body());
    assertEquals(100, spent());
    var errors =
        client(
            (response, estimate) -> {
              throw new AssertionError("mine");
            });
    assertEquals("no number", send(errors, get(server.uri("/")), async).body());
    assertEquals(200, spent());
  }

  @Test
  void nothingSaidLeavesTheEstimate() throws Exception {
    RawServer server = server((request, connection) -> connection.ok("x"));
    PacedHttpClient client =
        PacedHttpClient.builder(plain())
            .limiter(tokens)
            .cost(request -> Cost.of("tokens", 100))
            .settle((response, estimate) -> null)
            .build();
    send(client, get(server.uri("/")));
    assertEquals(100, spent());
  }

  /** The function runs once the last byte is there, for a stream too. */
  @Test
  void aStreamIsSettledAtItsEnd() throws Exception {
    var rest = new CountDownLatch(1);
    RawServer server =
        server(
            (request, connection) -> {
              connection.write("HTTP/1.1 200 OK\r\nX-Used: 5\r\nContent-Length: 4\r\n\r\nha");
              rest.await();
              connection.write("lf");
            });
    var calls = new AtomicInteger();
    PacedHttpClient client =
        client(
            (response, estimate) -> {
              calls.incrementAndGet();
              return Cost.of("tokens", response.headers().firstValueAsLong("X-Used").orElse(9));
            });
    HttpResponse<InputStream> answer =
        client.send(get(server.uri("/")), BodyHandlers.ofInputStream());
    assertEquals(0, calls.get());
    assertEquals(1, tokens.snapshot().open());
    rest.countDown();
    assertEquals(4, answer.body().readAllBytes().length);
    assertEquals(5, spent());
    assertEquals(1, calls.get());
  }

  @Test
  void aBodyThatBreaksOffStaysAtTheEstimate() throws Exception {
    RawServer server =
        server(
            (request, connection) -> {
              connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nha");
              connection.close();
            });
    PacedHttpClient client = client((response, estimate) -> Cost.of("tokens", 0));
    assertThrows(java.io.IOException.class, () -> send(client, get(server.uri("/"))));
    assertEquals(100, spent());
  }

  /** The body was in: the request was answered, whatever becomes of its response. */
  @Test
  void aBodyThatCannotBeMappedStaysAtTheEstimateAndIsAnswered() throws Exception {
    RawServer server = server((request, connection) -> connection.ok("x"));
    Limiter quick = Limiter.of("peer(1/100ms)");
    PacedHttpClient client =
        PacedHttpClient.builder(plain())
            .limiter(quick)
            .cost(request -> Cost.of(1))
            .settle((response, estimate) -> Cost.of(0))
            .build();
    HttpResponse.BodyHandler<Long> failing =
        answer ->
            HttpResponse.BodySubscribers.mapping(
                HttpResponse.BodySubscribers.ofString(java.nio.charset.StandardCharsets.UTF_8),
                Long::parseLong);
    assertThrows(Exception.class, () -> client.send(get(server.uri("/")), failing));
    untilQuiet(quick);
    // A lost request would count for 10 s.
    assertTrue(quick.tryAcquire(Cost.ONE, Duration.ofSeconds(5)).isPresent());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void onlyTheCallersResponseIsSettled(boolean async) throws Exception {
    RawServer server =
        server(
            (request, connection) -> {
              if (request.path().equals("/from")) {
                connection.status(302, "Location: /to");
              } else {
                connection.ok("3");
              }
            });
    send(client((response, estimate) -> used(response)), get(server.uri("/from")), async);
    assertEquals(103, spent());
  }

  @Test
  void headersAloneCannotBeSettled() {
    PacedHttpClient.Builder builder =
        PacedHttpClient.builder(plain())
            .limiter(tokens)
            .answered(Answered.HEADERS)
            .settle((response, estimate) -> estimate);
    assertThrows(IllegalStateException.class, builder::build);
  }
}
