package dev.pacegate.examples.recipes;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.pacegate.audit.Audit;
import dev.pacegate.audit.Report;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Comparator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The peer: counts what arrives. */
final class CountingServer implements Api, AutoCloseable {

  private record Span(long start, long end) {}

  private final Queue<Span> spans = new ConcurrentLinkedQueue<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpClient client = HttpClient.newHttpClient();
  private final HttpServer server;
  private volatile int failures;

  CountingServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  /** Answers the next requests with 500. */
  CountingServer failing(int requests) {
    failures = requests;
    return this;
  }

  private void answer(HttpExchange exchange) throws IOException {
    long arrived = System.nanoTime();
    int status = arrivals() < failures ? 500 : 204;
    spans.add(new Span(arrived, System.nanoTime()));
    exchange.sendResponseHeaders(status, -1);
    exchange.close();
  }

  URI uri() {
    return URI.create("http://localhost:" + server.getAddress().getPort() + "/");
  }

  @Override
  public String send(String text) throws IOException {
    try {
      var answer = client.send(HttpRequest.newBuilder(uri()).build(), BodyHandlers.discarding());
      if (answer.statusCode() != 204) {
        throw new IOException("status " + answer.statusCode());
      }
      return "sent " + text;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException();
    }
  }

  int arrivals() {
    return spans.size();
  }

  void assertKept(String limit) {
    var audit = Audit.of(Limits.parse(limit));
    spans.stream()
        .sorted(Comparator.comparingLong(Span::start))
        .forEach(span -> audit.add(span.start(), span.end(), Cost.ONE));
    Report report = audit.report();
    assertTrue(report.kept(), report::text);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
