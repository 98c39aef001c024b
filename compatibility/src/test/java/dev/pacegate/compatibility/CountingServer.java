package dev.pacegate.compatibility;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.pacegate.audit.Audit;
import dev.pacegate.audit.Report;
import dev.pacegate.limit.Limits;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * An HTTP server that counts arrivals. It redirects from {@code /2} to {@code /1} to {@code /0},
 * refuses {@code /429}, and wants credentials for {@code /401}.
 */
final class CountingServer implements AutoCloseable {

  private final Queue<Long> arrivals = new ConcurrentLinkedQueue<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpServer server;

  CountingServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 200);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    arrivals.add(System.nanoTime());
    try (exchange) {
      exchange.sendResponseHeaders(status(exchange), -1);
    }
  }

  private int status(HttpExchange exchange) {
    String path = exchange.getRequestURI().getPath();
    var headers = exchange.getResponseHeaders();
    switch (path) {
      case "/2", "/1" -> {
        headers.add("Location", uri(path.equals("/2") ? "/1" : "/0").toString());
        return 302;
      }
      case "/429" -> {
        headers.add("Retry-After", "3600");
        return 429;
      }
      case "/401" -> {
        headers.add("WWW-Authenticate", "Basic realm=\"r\"");
        return exchange.getRequestHeaders().containsKey("Authorization") ? 204 : 401;
      }
      default -> {
        return 204;
      }
    }
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
  }

  int arrivals() {
    return arrivals.size();
  }

  Report report(String limit) {
    return report(arrivals, limit);
  }

  static Report report(Queue<Long> arrivals, String limit) {
    var audit = Audit.of(Limits.parse(limit));
    arrivals.stream().sorted().forEach(audit::add);
    return audit.report();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
