package dev.pacegate.spring;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A server on the loopback that counts what arrives, and treats each request as its path says:
 * {@code /ok}, {@code /redirect}, {@code /stall} (no answer), {@code /half} (an answer that does
 * not end), {@code /events} (one event, then none), {@code /stream} (an event that is the end),
 * {@code /long} (3 MiB), {@code /busy} (first a refusal that does not end) or a status, {@code
 * /503}. Each third time {@code /fails} is not answered with 503, {@code /throttles} not with 429,
 * and {@code /full} not with {@code "10006"}.
 */
final class Peer implements AutoCloseable {

  static final int LONG = 3 * 1024 * 1024;

  private static final String EVENTS = "text/event-stream; charset=utf-8";

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Queue<Long> arrivals = new ConcurrentLinkedQueue<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile long delayMillis;

  Peer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 200);
    server.createContext("/", this::handle);
    server.setExecutor(threads);
    server.start();
  }

  String uri(String path) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + path;
  }

  void delay(long millis) {
    delayMillis = millis;
  }

  /** Begins to count anew. */
  void forget() {
    arrivals.clear();
  }

  int count() {
    return arrivals.size();
  }

  long countFrom(long instant) {
    return arrivals.stream().filter(arrival -> arrival - instant >= 0).count();
  }

  /** Returns the most arrivals in any interval of that length. */
  int mostIn(Duration interval) {
    List<Long> at = arrivals.stream().sorted().toList();
    int most = 0;
    int from = 0;
    for (int to = 0; to < at.size(); to++) {
      while (at.get(to) - at.get(from) >= interval.toNanos()) {
        from++;
      }
      most = Math.max(most, to - from + 1);
    }
    return most;
  }

  private void handle(HttpExchange exchange) throws IOException {
    arrivals.add(System.nanoTime());
    int number = arrivals.size();
    try (exchange) {
      exchange.getRequestBody().readAllBytes();
      Thread.sleep(delayMillis); // the peer's own work
      String path = exchange.getRequestURI().getPath();
      switch (path) {
        case "/stall" -> closed.await();
        case "/half" -> half(exchange);
        case "/events" -> events(exchange, 200);
        case "/busy" -> {
          if (number == 1) {
            events(exchange, 429);
          }
          answer(exchange, 200);
        }
        case "/ok" -> answer(exchange, 200);
        case "/fails" -> answer(exchange, number % 3 == 0 ? 200 : 503);
        case "/throttles" -> answer(exchange, number % 3 == 0 ? 200 : 429);
        case "/full" -> answer(exchange, 200, number % 3 == 0 ? "answer" : "10006");
        case "/long" -> answer(exchange, 200, "x".repeat(LONG));
        case "/stream" -> {
          exchange.getResponseHeaders().add("Content-Type", EVENTS);
          answer(exchange, 200, "data: used 100\n\n");
        }
        case "/redirect" -> {
          exchange.getResponseHeaders().add("Location", "/ok");
          answer(exchange, 302);
        }
        default -> answer(exchange, Integer.parseInt(path.substring(1)));
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private void half(HttpExchange exchange) throws IOException, InterruptedException {
    exchange.sendResponseHeaders(200, 100);
    exchange.getResponseBody().write("half".getBytes(StandardCharsets.US_ASCII));
    exchange.getResponseBody().flush();
    closed.await();
  }

  private void events(HttpExchange exchange, int status) throws IOException, InterruptedException {
    exchange.getResponseHeaders().add("Content-Type", EVENTS);
    exchange.sendResponseHeaders(status, 0);
    exchange.getResponseBody().write("data: 1\n\n".getBytes(StandardCharsets.US_ASCII));
    exchange.getResponseBody().flush();
    closed.await();
  }

  private static void answer(HttpExchange exchange, int status) throws IOException {
    answer(exchange, status, "answer");
  }

  private static void answer(HttpExchange exchange, int status, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.US_ASCII);
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
