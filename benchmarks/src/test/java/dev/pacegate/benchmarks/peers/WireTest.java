package dev.pacegate.benchmarks.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WireTest {

  private final CountDownLatch answers = new CountDownLatch(1);
  private final CountDownLatch arrived = new CountDownLatch(1);
  private final AtomicInteger sent = new AtomicInteger();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private HttpServer server;
  private Wire wire;

  @BeforeEach
  void start() throws Exception {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          arrived.countDown();
          try {
            answers.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.createContext(
        "/warm",
        exchange -> {
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.start();
    // The first request loads classes, which may take longer than a test's time-out.
    URI warm = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/warm");
    client.send(HttpRequest.newBuilder(warm).build(), BodyHandlers.discarding());
    wire = new Wire(server.getAddress().getPort(), 1, sent::incrementAndGet);
  }

  @AfterEach
  void stop() {
    answers.countDown();
    wire.close();
    server.stop(0);
  }

  @Test
  void passesRequestsOnAndTellsOfEach() throws Exception {
    answers.countDown();
    for (int i = 1; i <= 3; i++) {
      var answer =
          client.send(HttpRequest.newBuilder(wire.uri()).build(), BodyHandlers.discarding());
      assertEquals(200, answer.statusCode());
      assertEquals(i, sent.get());
    }
  }

  @Test
  void aRequestThatWasGivenUpHasArrived() throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(wire.uri()).timeout(Duration.ofMillis(500)).build();
    assertThrows(HttpTimeoutException.class, () -> client.send(request, BodyHandlers.discarding()));
    assertTrue(arrived.await(30, TimeUnit.SECONDS));
  }
}
