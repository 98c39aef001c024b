package dev.pacegate.compatibility;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.pacegate.Limiter;
import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerVerdict;
import dev.pacegate.adapter.NotSentException;
import dev.pacegate.feedback.Feedback;
import dev.pacegate.limit.Cost;
import java.io.File;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Cache;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The contract for adapters suits a client of another make. */
@Timeout(60)
class AdapterTest {

  private final Limiter limiter = Limiter.of("peer(1000/1h)");
  private final AtomicInteger arrivals = new AtomicInteger();
  private final ExecutorService waiting = Executors.newCachedThreadPool();
  private HttpServer server;

  /** The first two are redirected, or refused, then a text comes. */
  @BeforeEach
  void start() throws IOException {
    var here = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    server = HttpServer.create(here, 0);
    server.createContext("/redirected", exchange -> answer(exchange, 302, ""));
    server.createContext("/refused", exchange -> answer(exchange, 429, "later"));
    server.createContext("/full", exchange -> answer(exchange, 200, "10006"));
    server.createContext("/stored", exchange -> answer(exchange, 200, "stored"));
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
    waiting.shutdownNow();
  }

  private void answer(HttpExchange exchange, int status, String text) throws IOException {
    try (exchange) {
      boolean last = arrivals.incrementAndGet() > 2;
      exchange.getResponseHeaders().add("Location", "/redirected/" + arrivals.get());
      exchange.getResponseHeaders().add("Cache-Control", "max-age=100");
      byte[] body = (last ? "hello" : text).getBytes(StandardCharsets.US_ASCII);
      exchange.sendResponseHeaders(last ? 200 : status, body.length == 0 ? -1 : body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private PacedOkHttp options() {
    return new PacedOkHttp()
        .limiter(limiter)
        .feedback(Feedback.standard().pause(Duration.ofMillis(20)));
  }

  private String get(PacedOkHttp options, String path) throws IOException {
    return get(options.over(new OkHttpClient()), path);
  }

  private String get(OkHttpClient client, String path) throws IOException {
    try (Response response = client.newCall(request(path)).execute()) {
      return response.body().string();
    }
  }

  private Request request(String path) {
    String uri = "http://localhost:" + server.getAddress().getPort() + path;
    return new Request.Builder().url(uri).build();
  }

  private void assertPermits(int granted) {
    assertEquals(granted, arrivals.get());
    assertEquals(granted, limiter.snapshot().granted());
    assertEquals(0, limiter.snapshot().open());
    assertEquals(0, limiter.snapshot().lost());
  }

  @Test
  void eachRedirectTakesAPermit() throws IOException {
    assertEquals("hello", get(options(), "/redirected"));
    assertPermits(3);
  }

  @Test
  void aRefusedRequestGoesAgain() throws IOException {
    assertEquals("hello", get(options().retryRefused(2), "/refused"));
    assertPermits(3);
    assertEquals(2, limiter.snapshot().refusedByPeer());
  }

  @Test
  void aRefusalInTheBodyGoesAgain() throws IOException {
    PacedOkHttp options = options().refused(AdapterTest::judged).retryRefused(1);
    assertEquals("10006", get(options, "/full"));
    assertPermits(2);
    assertEquals(2, limiter.snapshot().refusedByPeer());
  }

  private static PeerAnswer judged(Response response) {
    try {
      boolean full = response.peekBody(1_000).string().contains("10006");
      return full ? PeerAnswer.of(PeerVerdict.REFUSED) : PeerAnswer.NOTHING;
    } catch (IOException broken) {
      return PeerAnswer.NOTHING;
    }
  }

  @Test
  void aCostIsSettledFromTheHeaders() throws IOException {
    Limiter tokens = Limiter.of("peer(1000/1h of tokens)");
    PacedOkHttp options =
        options()
            .limiter(tokens)
            .cost(request -> Cost.of("tokens", 900))
            .settle((response, cost) -> Cost.of("tokens", response.body().contentLength()));
    get(options, "/full");
    assertTrue(tokens.bottleneck(Cost.of("tokens", 995)).isEmpty());
    assertEquals(0, tokens.snapshot().open());
  }

  /** A connection that waits for a permit may be closed by its server meanwhile. */
  @Test
  void aRequestThatWaitsHoldsNoConnection() throws Exception {
    limiter.pause();
    OkHttpClient client = options().over(new OkHttpClient());
    CompletableFuture<String> answer =
        CompletableFuture.supplyAsync(
            () -> assertDoesNotThrow(() -> get(client, "/stored")), waiting);
    while (limiter.snapshot().waiting() == 0) {
      Thread.onSpinWait();
    }
    assertEquals(0, client.connectionPool().connectionCount());
    limiter.resume();
    assertEquals("stored", answer.get());
    assertPermits(1);
  }

  @Test
  void aRequestThatIsNotSentGivesItsPermitBack(@TempDir File directory) throws IOException {
    Limiter two = Limiter.of("peer(2/1h)");
    PacedOkHttp options = options().limiter(two).maxWait(Duration.ZERO);
    OkHttpClient client =
        options.over(new OkHttpClient.Builder().cache(new Cache(directory, 9_999)).build());
    for (int i = 0; i < 5; i++) {
      assertEquals("stored", get(client, "/stored"));
    }
    assertEquals(1, arrivals.get());
    server.stop(0);
    for (int i = 0; i < 5; i++) {
      assertThrows(ConnectException.class, () -> get(options.over(new OkHttpClient()), "/full"));
    }
    assertEquals(0, two.snapshot().open());
    assertEquals(0, two.snapshot().lost());
  }

  @Test
  void aFunctionThatThrowsLeavesNoConnectionOpen() {
    PacedOkHttp options =
        options()
            .retryRefused(
                1,
                request -> {
                  throw new IllegalStateException("choice");
                });
    OkHttpClient client = options.over(new OkHttpClient());
    assertThrows(IllegalStateException.class, () -> get(client, "/refused"));
    assertEquals(0, limiter.snapshot().open());
    ConnectionPool pool = client.connectionPool();
    assertEquals(pool.idleConnectionCount(), pool.connectionCount());
  }

  @Test
  void aWaitThatIsTooLongIsAnIoError() {
    limiter.pause();
    PacedOkHttp options = options().maxWait(Duration.ofMillis(20));
    var thrown = assertThrows(NotSentException.class, () -> get(options, "/full"));
    assertEquals("not sent: no permit within 20ms: paused until resumed", thrown.getMessage());
    assertEquals(0, arrivals.get());
  }
}
