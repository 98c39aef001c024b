package dev.pacegate.compatibility;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

/**
 * What time out in the client's eyes is a request to the peer: it counts no more than the limit
 * says, whatever the client wraps the time-out in.
 */
@Timeout(60)
class CountedByThePeerTest {

  private static final Duration READ = Duration.ofMillis(200);

  @FunctionalInterface
  private interface Request {
    void send() throws Exception;
  }

  /** Has two threads send for two and a half seconds, and until the peer has counted twice. */
  private static void assertNoMoreThanTwoInASecond(Peer peer, Request request) throws Exception {
    Limiter limiter = Limiter.of("peer(2/1s, unanswered=2s)");
    long end = System.nanoTime() + 2_500_000_000L;
    var other = new Thread(() -> send(limiter, request, peer, end));
    other.start();
    send(limiter, request, peer, end);
    other.join();
    assertTrue(peer.arrivals().size() >= 2, "the peer has counted too few to tell");
    int most = most(peer.arrivals(), 1_000_000_000L);
    assertTrue(most <= 2, () -> most + " in a second");
  }

  private static void send(Limiter limiter, Request request, Peer peer, long end) {
    long last = end + 20_000_000_000L;
    while (System.nanoTime() < end
        || (peer.arrivals().size() < 2 && System.nanoTime() - last < 0)) {
      try {
        limiter.run(request::send);
      } catch (Exception timedOut) {
        // As every request here does.
      }
    }
  }

  private static int most(List<Long> instants, long span) {
    int most = 0;
    for (int first = 0, last = 0; last < instants.size(); last++) {
      while (instants.get(last) - instants.get(first) >= span) {
        first++;
      }
      most = Math.max(most, last - first + 1);
    }
    return most;
  }

  @Test
  void springsRestClient() throws Exception {
    var factory = new SimpleClientHttpRequestFactory();
    factory.setReadTimeout(READ);
    try (var peer = new Peer()) {
      RestClient client = RestClient.builder().requestFactory(factory).build();
      assertNoMoreThanTwoInASecond(
          peer, () -> client.get().uri(peer.uri("/stall")).retrieve().body(String.class));
    }
  }

  @Test
  void theJdksClient() throws Exception {
    try (var peer = new Peer();
        var other = new Peer()) {
      HttpClient client = HttpClient.newHttpClient();
      HttpRequest request = HttpRequest.newBuilder(peer.uri("/stall")).timeout(READ).build();
      // The first request loads classes, which may take longer than the time-out.
      client.send(HttpRequest.newBuilder(other.uri("/200")).build(), BodyHandlers.discarding());
      assertNoMoreThanTwoInASecond(peer, () -> client.send(request, BodyHandlers.ofString()));
    }
  }
}
