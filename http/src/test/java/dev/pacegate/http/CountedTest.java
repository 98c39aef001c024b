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
@Timeout(120)
class CountedTest {

  private static final Duration HALF_A_MINUTE = Duration.ofSeconds(30);

  /** The second window need not wait for the answers of the first, which come too late for it. */
  @Test
  @Tag("slow")
  void aLongAnswerDelaysNoRequest() throws Exception {
    List<Long> arrivals = arrivals("peer(20/2s, counted=5s)", 40, HALF_A_MINUTE);
    assertKept("20/2s", arrivals);
    long between = arrivals.get(39) - arrivals.get(0);
    assertTrue(between < HALF_A_MINUTE.toNanos(), "waits for the answers: " + between + " ns");
  }

  /**
   * {@code peer(60/1m, counted=2s)} with answers of two minutes, so many times as fast: a window
   * may follow every 62 s, and without the bound every three minutes. The bound is not as short, as
   * a request that is delayed for longer would be counted too late.
   */
  @Test
  @Tag("idle") // the speed is that of the machine, too
  void longAnswersCostNoThroughput() throws Exception {
    var answer = Duration.ofSeconds(4);
    var without =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return arrivals("peer(20/2s)", 41, answer);
              } catch (Exception e) {
                throw new CompletionException(e);
              }
            },
            work -> new Thread(work).start()); // not in the common pool, where limiters work
    List<Long> counted = arrivals("peer(20/2s, counted=1s)", 41, answer);
    assertKept("20/2s", counted);
    assertKept("20/2s", without.get());
    double plain = delivered(without.get());
    System.out.printf("counted %.1f %%, without %.1f %%%n", 100 * delivered(counted), 100 * plain);
    assertTrue(delivered(counted) > 1.2 * plain, "no more than without: " + plain); // 2
  }

  /** Returns the share of the limit that two windows of 2 s delivered. */
  private static double delivered(List<Long> arrivals) {
    return 4e9 / (arrivals.get(40) - arrivals.get(0));
  }

  private static void assertKept(String limit, List<Long> arrivals) {
    var audit = Audit.of(Limits.parse(limit));
    arrivals.forEach(audit::add);
    assertTrue(audit.verdict().kept(), audit.verdict().text());
  }

  /**
   * Returns when so many requests arrived at a peer that answers each after {@code answer}; does
   * not wait for the answers of the last ones.
   */
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
      for (var answered : sendAll(client, uri.resolve("warm"), 60)) {
        answered.get(); // connections take time that counts
      }
      var paced = sendAll(PacedHttpClient.builder(client).limit(limit).build(), uri, requests);
      while (arrivals.size() < requests) {
        assertTrue(paced.stream().noneMatch(CompletableFuture::isCompletedExceptionally));
        Thread.sleep(5); // polls
      }
    } finally {
      server.stop(0);
      later.shutdownNow();
    }
    assertEquals(requests, arrivals.size());
    return arrivals.stream().sorted().toList();
  }

  private static List<CompletableFuture<?>> sendAll(HttpClient client, URI uri, int requests) {
    var answers = new ArrayList<CompletableFuture<?>>();
    for (int i = 0; i < requests; i++) {
      var request = HttpRequest.newBuilder(uri).build();
      answers.add(client.sendAsync(request, BodyHandlers.discarding()));
    }
    return answers;
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
