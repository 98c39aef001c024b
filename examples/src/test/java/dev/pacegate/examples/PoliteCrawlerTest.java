package dev.pacegate.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

class PoliteCrawlerTest {

  @Test
  void leavesAGapBetweenTwoRequestsToAHost() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
    Queue<Long> arrivals = new ConcurrentLinkedQueue<>();
    server.createContext(
        "/",
        exchange -> {
          arrivals.add(System.nanoTime());
          try (exchange) {
            boolean moved = exchange.getRequestURI().getPath().equals("/old");
            exchange.getResponseHeaders().add("Location", "/new");
            exchange.sendResponseHeaders(moved ? 302 : 204, -1);
          }
        });
    server.start();
    URI page = URI.create("http://localhost:" + server.getAddress().getPort() + "/old");
    try {
      var crawler = new PoliteCrawler(Duration.ofMillis(30));

      assertEquals(Collections.nCopies(5, 204), crawler.fetch(Collections.nCopies(5, page)));

      List<Long> instants = List.copyOf(arrivals);
      assertEquals(10, instants.size());
      for (int i = 1; i < instants.size(); i++) {
        assertTrue(instants.get(i) - instants.get(i - 1) >= 30_000_000, instants::toString);
      }
    } finally {
      server.stop(0);
    }
  }
}
