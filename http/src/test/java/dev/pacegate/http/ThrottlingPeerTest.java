package dev.pacegate.http;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Servers that refuse clients that are too fast refuse none that is paced. Their windows are short,
 * so that what a client sends at their borders is a large part. In short nothing is asked of the
 * speed, as this is part of every build, on whatever machine.
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
  private volatile LongSupplier clock = System::nanoTime;
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

  private URI serving(BooleanSupplier rule) {
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            exchange.sendResponseHeaders(rule.getAsBoolean() ? 204 : 429, -1);
          }
        });
    return URI.create("http://localhost:" + server.getAddress().getPort() + "/");
  }

  /** So fast is any client while the clock of the server stands still. */
  private void refusesSome(String name, URI uri) throws Exception {
    long instant = System.nanoTime();
    clock = () -> instant;
    Trial.refused(name, uri, 60);
  }

  /** Twenty in every fiftieth of a second, whose beginnings are not known outside. */
  private BooleanSupplier fixedWindows() {
    return new BooleanSupplier() {
      private long window;
      private int count;

      @Override
      public synchronized boolean getAsBoolean() {
        long current = clock.getAsLong() / 20_000_000;
        count = current == window ? count + 1 : 1;
        window = current;
        return count <= 20;
      }
    };
  }

  /** Twenty at once, and another every two milliseconds. */
  private BooleanSupplier bucket() {
    return new BooleanSupplier() {
      private double level = 20;
      private long last = System.nanoTime();

      @Override
      public synchronized boolean getAsBoolean() {
        long now = clock.getAsLong(); // within the lock: no earlier than the last
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
    URI uri = serving(fixedWindows());
    Trial.compare(
        "fixed windows of 20 in 20 ms",
        "peer(20/20ms)",
        uri,
        requests,
        trial -> (trial.requests() / 20 - 1) * (0.02 + trial.answer()),
        share);
    refusesSome("fixed windows", uri);
  }

  private void againstABucket(int requests, double share) throws Exception {
    URI uri = serving(bucket());
    Trial.compare(
        "a bucket of 20 and 500 a second",
        "peer(bucket(500/1s, burst=20))",
        uri,
        requests,
        trial -> trial.requests() * Math.max(1 / 500.0, trial.answer() / 20),
        share);
    refusesSome("a bucket", uri);
  }

  @Test
  void fixedWindowsInShort() throws Exception {
    againstFixedWindows(600, 0);
  }

  @Test
  void aBucketInShort() throws Exception {
    againstABucket(300, 0);
  }

  @Test
  @Tag("idle") // the speed is that of the machine, too
  void fixedWindowsAtLength() throws Exception {
    againstFixedWindows(2_500, 0.8);
  }

  @Test
  @Tag("idle") // the speed is that of the machine, too
  void aBucketAtLength() throws Exception {
    againstABucket(2_500, 0.9);
  }
}
