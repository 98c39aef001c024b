package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Notes when requests arrive, and answers them: those to {@code /held} when it ends. */
final class CountingUpstream implements AutoCloseable {

  private final List<Long> instants = new CopyOnWriteArrayList<>();
  private final CountDownLatch end = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpServer server;

  CountingUpstream() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    instants.add(System.nanoTime());
    if (exchange.getRequestURI().getPath().equals("/held")) {
      try {
        end.await();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }
    exchange.sendResponseHeaders(200, -1);
    exchange.close();
  }

  String uri() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  int arrived() {
    return instants.size();
  }

  void assertNeverMoreThan(int most, Duration window) {
    long[] sorted = instants.stream().mapToLong(Long::longValue).sorted().toArray();
    for (int i = most; i < sorted.length; i++) {
      assertTrue(sorted[i] - sorted[i - most] >= window.toNanos(), "at " + i);
    }
  }

  @Override
  public void close() {
    end.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
