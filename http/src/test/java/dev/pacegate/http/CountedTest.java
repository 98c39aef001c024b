package dev.pacegate.http;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Limits;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A peer that counts on arrival and answers late. */
@Tag("slow")
@Timeout(120)
class CountedTest {

  /** The second window need not wait for the answers of the first, which take 4 s. */
  @Test
  void aLongAnswerDelaysNoRequest() throws Exception {
    List<Long> arrivals = arrivals("peer(20/4s, counted=1s)", 40, Duration.ofSeconds(4));
    assertKept("20/4s", arrivals);
    long between = arrivals.get(20) - arrivals.get(0);
    assertTrue(between < 8_000_000_000L, "waits for the answers: " + between + " ns");
  }

  /**
   * {@code peer(60/1m, counted=2s)} with answers of half a minute, five times as fast: a window of
   * 60 may follow every 62 s, and without the bound every 90 s.
   */
  @Test
  void longAnswersCostNoThroughput() throws Exception {
    var half = Duration.ofSeconds(6);
    var without =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return arrivals("peer(60/12s)", 180, half);
              } catch (Exception e) {
                throw new CompletionException(e);
              }
            });
    List<Long> counted = arrivals("peer(60/12s, counted=400ms)", 180, half);
    assertKept("60/12s", counted);
    assertKept("60/12s", without.get());
    double plain = delivered(without.get());
    System.out.printf("counted %.1f %%, without %.1f %%%n", 100 * delivered(counted), 100 * plain);
    assertTrue(delivered(counted) > 1.25 * plain, "no more than without: " + plain);
  }

  /** Returns the share of the limit that two windows of 12 s delivered. */
  private static double delivered(List<Long> arrivals) {
    return 24e9 / (arrivals.get(120) - arrivals.get(0));
  }

  private static void assertKept(String limit, List<Long> arrivals) {
    var audit = Audit.of(Limits.parse(limit));
    arrivals.forEach(audit::add);
    assertTrue(audit.verdict().kept(), audit.verdict().text());
  }

  /** Returns when so many requests arrived at a peer that answers each after {@code answer}. */
  private static List<Long> arrivals(String limit, int requests, Duration answer) throws Exception {
    var arrivals = Collections.synchronizedList(new ArrayList<Long>());
    ScheduledExecutorService later = Executors.newScheduledThreadPool(2);
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 200);
    server.createContext("/warm", CountedTest::answer);
    server.createContext(
        "/",
        exchange -> {
          arrivals.add(System.nanoTime());
          var unused = later.schedule(() -> answerLate(exchange), answer.toMillis(), MILLISECONDS);
        });
    server.start();
    try {
      HttpClient client = HttpClient.newHttpClient();
      URI uri = URI.create("http://localhost:" + server.getAddress().getPort() + "/");
      sendAll(client, uri.resolve("warm"), 60); // connections take time that counts
      sendAll(PacedHttpClient.builder(client).limit(limit).build(), uri, requests);
    } finally {
      server.stop(0);
      later.shutdownNow();
    }
    assertEquals(requests, arrivals.size());
    return arrivals.stream().sorted().toList();
  }

  private static void sendAll(HttpClient client, URI uri, int requests) throws Exception {
    var answers = new ArrayList<CompletableFuture<?>>();
    for (int i = 0; i < requests; i++) {
      var request = HttpRequest.newBuilder(uri).build();
      answers.add(client.sendAsync(request, BodyHandlers.discarding()));
    }
    for (CompletableFuture<?> answer : answers) {
      answer.get();
    }
  }

  private static Void answerLate(HttpExchange exchange) throws IOException {
    answer(exchange);
    return null;
  }

  private static void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.sendResponseHeaders(204, -1);
    }
  }
}
