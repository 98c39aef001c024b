package dev.pacegate.compatibility;

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
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The contract for adapters suits a client of another make. */
@Timeout(60)
class AdapterTest {

  private final Limiter limiter = Limiter.of("peer(1000/1h)");
  private final AtomicInteger arrivals = new AtomicInteger();
  private HttpServer server;

  /** The first two are redirected, or refused, then a text comes. */
  @BeforeEach
  void start() throws IOException {
    var here = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    server = HttpServer.create(here, 0);
    server.createContext("/redirected", exchange -> answer(exchange, 302, ""));
    server.createContext("/refused", exchange -> answer(exchange, 429, "later"));
    server.createContext("/full", exchange -> answer(exchange, 200, "10006"));
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange, int status, String text) throws IOException {
    try (exchange) {
      boolean last = arrivals.incrementAndGet() > 2;
      exchange.getResponseHeaders().add("Location", "/redirected/" + arrivals.get());
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
    OkHttpClient client = options.over(new OkHttpClient());
    String uri = "http://localhost:" + server.getAddress().getPort() + path;
    try (Response response = client.newCall(new Request.Builder().url(uri).build()).execute()) {
      return response.body().string();
    }
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

  @Test
  void aWaitThatIsTooLongIsAnIoError() {
    limiter.pause();
    PacedOkHttp options = options().maxWait(Duration.ofMillis(20));
    var thrown = assertThrows(NotSentException.class, () -> get(options, "/full"));
    assertEquals("not sent: no permit within 20ms: paused until resumed", thrown.getMessage());
    assertEquals(0, arrivals.get());
  }
}
