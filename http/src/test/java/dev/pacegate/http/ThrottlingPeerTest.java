package dev.pacegate.http;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Servers that refuse clients that are too fast refuse none that is paced. In short nothing is
 * asked of the speed, as this is part of every build, on whatever machine.
 */
@Timeout(120)
class ThrottlingPeerTest {

  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          work -> {
            var thread = new Thread(work);
            thread.setDaemon(true);
            return thread;
          });
  private HttpServer server;

  @BeforeEach
  void open() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 200);
    server.setExecutor(threads);
    server.start();
  }

  @AfterEach
  void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private URI serving(LongPredicate rule) {
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            exchange.sendResponseHeaders(rule.test(System.nanoTime()) ? 204 : 429, -1);
          }
        });
    return URI.create("http://localhost:" + server.getAddress().getPort() + "/");
  }

  /** Fifty in every tenth of a second, whose beginnings are not known outside. */
  private static LongPredicate fixedWindows() {
    return new LongPredicate() {
      private long window;
      private int count;

      @Override
      public synchronized boolean test(long now) {
        long current = now / 100_000_000;
        count = current == window ? count + 1 : 1;
        window = current;
        return count <= 50;
      }
    };
  }

  /** Twenty at once, and another every two milliseconds. */
  private static LongPredicate bucket() {
    return new LongPredicate() {
      private double level = 20;
      private long last = System.nanoTime();

      @Override
      public synchronized boolean test(long now) {
        level = Math.min(20, level + (now - last) / 2e6);
        last = now;
        if (level < 1) {
          return false;
        }
        level--;
        return true;
      }
    };
  }

  private void againstFixedWindows(int requests, double share) throws Exception {
    Trial.compare(
        "fixed windows of 50 in 100 ms",
        "peer(50/100ms)",
        serving(fixedWindows()),
        requests,
        trial -> (trial.requests() / 50 - 1) * (0.1 + trial.answer()),
        share);
  }

  private void againstABucket(int requests, double share) throws Exception {
    Trial.compare(
        "a bucket of 20 and 500 a second",
        "peer(bucket(500/1s, burst=20))",
        serving(bucket()),
        requests,
        trial -> trial.requests() * Math.max(1 / 500.0, trial.answer() / 20),
        share);
  }

  @Test
  void fixedWindowsInShort() throws Exception {
    againstFixedWindows(1_000, 0);
  }

  @Test
  void aBucketInShort() throws Exception {
    againstABucket(1_000, 0);
  }

  @Test
  @Tag("servers")
  void fixedWindowsAtLength() throws Exception {
    againstFixedWindows(2_500, 0.9);
  }

  @Test
  @Tag("servers")
  void aBucketAtLength() throws Exception {
    againstABucket(2_500, 0.9);
  }
}
