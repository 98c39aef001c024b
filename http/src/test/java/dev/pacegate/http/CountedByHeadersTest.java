package dev.pacegate.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.pacegate.Limiter;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that says how many of two requests are left, and whose bodies do not end. */
@Timeout(60)
class CountedByHeadersTest {

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch ends = new CountDownLatch(1);
  private final AtomicInteger arrived = new AtomicInteger();
  private final List<InputStream> bodies = new ArrayList<>();
  private boolean countsOnArrival = true;
  private HttpServer server;
  private HttpRequest request;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
    request =
        HttpRequest.newBuilder(
                URI.create("http://localhost:" + server.getAddress().getPort() + "/"))
            .build();
  }

  @AfterEach
  void stop() {
    ends.countDown();
    server.stop(0);
    threads.shutdownNow();
  }

  /** Requests come one by one, and the last of three a window after the others. */
  private void answer(HttpExchange exchange) throws IOException {
    int used = (arrived.getAndIncrement() & 1) + 1;
    try (exchange) {
      exchange.getResponseHeaders().set("X-RateLimit-Limit", "2");
      exchange
          .getResponseHeaders()
          .set("X-RateLimit-Remaining", "" + (countsOnArrival ? 2 - used : 2));
      exchange.sendResponseHeaders(200, 0);
      exchange.getResponseBody().write('.');
      exchange.getResponseBody().flush();
      ends.await();
    } catch (InterruptedException over) {
      Thread.currentThread().interrupt();
    }
  }

  private void send(HttpClient client) throws IOException, InterruptedException {
    InputStream body = client.send(request, BodyHandlers.ofInputStream()).body();
    assertEquals('.', body.read());
    bodies.add(body);
  }

  @Test
  void bodiesAreNotWaitedForIfTheHeadersProveThatTheirRequestsAreCounted() throws Exception {
    Limiter limiter = Limiter.of("peer(2/500ms, counted=headers)");
    HttpClient client =
        PacedHttpClient.builder(HttpClient.newHttpClient()).limiter(limiter).build();
    for (int i = 0; i < 3; i++) {
      send(client);
    }
    assertEquals(3, arrived.get());
    assertEquals(3, limiter.snapshot().open());
  }

  /** However long it takes: no body has ended. */
  @Test
  void bodiesAreWaitedForIfTheServerHasNotCounted() throws Exception {
    countsOnArrival = false;
    Limiter limiter = Limiter.of("peer(2/500ms, counted=headers)");
    HttpClient client =
        PacedHttpClient.builder(HttpClient.newHttpClient()).limiter(limiter).build();
    send(client);
    send(client);
    assertTrue(limiter.tryAcquire(1, Duration.ofSeconds(1)).isEmpty());
  }
}
