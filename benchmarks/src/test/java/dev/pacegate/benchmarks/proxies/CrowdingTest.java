package dev.pacegate.benchmarks.proxies;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CrowdingTest {

  /** Each second answer is a refusal, and no 200 is waited for less than both. */
  @Test
  void aRefusedClientWaitsOn() throws Exception {
    var asked = new AtomicInteger();
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    HttpServer server = HttpServer.create(address, 0);
    server.createContext(
        "/",
        exchange -> {
          try {
            Thread.sleep(10); // an answer takes that long
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          exchange.sendResponseHeaders(asked.incrementAndGet() % 2 == 0 ? 200 : 503, -1);
          exchange.close();
        });
    server.start();
    try {
      Crowding.Got got;
      do { // on a loaded machine there may be none in that time
        asked.set(0);
        got = new Crowding(server.getAddress().getPort()).run(1, Duration.ofMillis(300));
      } while (got.count(200) == 0);
      assertEquals(asked.get(), got.statuses().size());
      assertEquals(0, got.failed());
      assertEquals(asked.get() / 2, got.count(200));
      assertTrue(got.inTime() <= got.count(200));
      assertTrue(got.waited(0) >= 0.02, "waited " + got.waited(0));
    } finally {
      server.stop(0);
    }
  }
}
