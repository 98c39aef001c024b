package dev.pacegate.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Servers that refuse whoever is too fast refuse nobody who is paced. */
@Timeout(120)
class ThrottlingPeerTest {

  private static final int REQUESTS = 2_000;

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

  private HttpRequest serving(LongPredicate rule) {
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            exchange.sendResponseHeaders(rule.test(System.nanoTime()) ? 204 : 429, -1);
          }
        });
    return HttpRequest.newBuilder(
            URI.create("http://localhost:" + server.getAddress().getPort() + "/"))
        .build();
  }

  /** Fifty in every tenth of a second, whose beginnings nobody outside knows. */
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

  private static PacedHttpClient paced(String limit) {
    return PacedHttpClient.builder(HttpClient.newBuilder().version(Version.HTTP_1_1))
        .limit(limit)
        .build();
  }

  /** Sends as many requests as possible at once; returns how many were refused. */
  private static int refused(HttpClient client, HttpRequest request) {
    var answers = new ArrayList<CompletableFuture<HttpResponse<Void>>>();
    for (int i = 0; i < REQUESTS; i++) {
      answers.add(client.sendAsync(request, BodyHandlers.discarding()));
    }
    return (int) answers.stream().filter(answer -> answer.join().statusCode() == 429).count();
  }

  /** The same without a limit, from some threads, lest there be as many connections as requests. */
  private int refusedUnpaced(HttpRequest request) throws Exception {
    HttpClient client = HttpClient.newBuilder().version(Version.HTTP_1_1).build();
    var counts = new ArrayList<java.util.concurrent.Future<Integer>>();
    for (int thread = 0; thread < 8; thread++) {
      counts.add(
          threads.submit(
              () -> {
                int refused = 0;
                for (int i = 0; i < REQUESTS / 8; i++) {
                  boolean is429 =
                      client.send(request, BodyHandlers.discarding()).statusCode() == 429;
                  refused += is429 ? 1 : 0;
                }
                return refused;
              }));
    }
    int refused = 0;
    for (var count : counts) {
      refused += count.get();
    }
    return refused;
  }

  @Test
  void fixedWindowsRefuseNobodyWhoIsPaced() throws Exception {
    HttpRequest request = serving(fixedWindows());

    assertEquals(0, refused(paced("50/100ms"), request));
    assertTrue(refusedUnpaced(request) > 0, "the test's server refuses nobody");
  }

  @Test
  void aBucketRefusesNobodyWhoIsPaced() throws Exception {
    HttpRequest request = serving(bucket());

    assertEquals(0, refused(paced("bucket(500/1s, burst=20)"), request));
    assertTrue(refusedUnpaced(request) > 0, "the test's server refuses nobody");
  }
}
