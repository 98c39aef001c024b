package dev.pacegate.http;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Limits;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A peer that counts on arrival and answers late. */
@Tag("slow")
@Timeout(60)
class CountedTest {

  /** The second window need not wait for the answers of the first, which take 4 s. */
  @Test
  void aLongAnswerDelaysNoRequest() throws Exception {
    var arrivals = Collections.synchronizedList(new ArrayList<Long>());
    ScheduledExecutorService later = Executors.newScheduledThreadPool(2);
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 200);
    server.createContext(
        "/",
        exchange -> {
          arrivals.add(System.nanoTime());
          var unused =
              later.schedule(
                  () -> {
                    try (exchange) {
                      exchange.sendResponseHeaders(204, -1);
                    }
                    return null;
                  },
                  4,
                  SECONDS);
        });
    server.start();
    try {
      var client =
          PacedHttpClient.builder(HttpClient.newHttpClient())
              .limit("peer(20/4s, counted=1s)")
              .build();
      URI uri = URI.create("http://localhost:" + server.getAddress().getPort() + "/");
      var answers = new ArrayList<CompletableFuture<?>>();
      for (int i = 0; i < 40; i++) {
        var request = HttpRequest.newBuilder(uri).build();
        answers.add(client.sendAsync(request, BodyHandlers.discarding()));
      }
      for (CompletableFuture<?> answer : answers) {
        answer.get();
      }
    } finally {
      server.stop(0);
      later.shutdownNow();
    }
    assertEquals(40, arrivals.size());
    List<Long> sorted = arrivals.stream().sorted().toList();
    var audit = Audit.of(Limits.parse("20/4s"));
    sorted.forEach(audit::add);
    assertTrue(audit.verdict().kept(), audit.verdict().text());
    long between = sorted.get(20) - sorted.get(0);
    assertTrue(between < 8_000_000_000L, "waits for the answers: " + between + " ns");
  }
}
