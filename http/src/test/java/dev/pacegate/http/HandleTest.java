package dev.pacegate.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterListener;
import dev.pacegate.PeerRefusal;
import dev.pacegate.adapter.tck.RawServer;
import dev.pacegate.limit.Cost;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The limiters of a client can be looked at, paused, resumed and changed. */
@Timeout(60)
class HandleTest extends PacedHttpCases {

  private static void untilQuiet(PacedHttpClient client, HttpRequest request)
      throws InterruptedException {
    untilQuiet(client.limiter(request));
  }

  @Test
  void theLimiterOfAHostIsSteered() throws Exception {
    RawServer server = server((request, connection) -> connection.ok("hello"));
    RawServer other = server((request, connection) -> connection.ok("hello"));
    HttpRequest request = get(server.uri("/"));
    PacedHttpClient client =
        PacedHttpClient.builder(plain()).limit("1/1h").maxWait(Duration.ZERO).build();
    Limiter limiter = client.limiter("localhost:" + server.uri("/").getPort());

    assertEquals("hello", send(client, request).body());
    untilQuiet(client, request);
    assertEquals(1, limiter.snapshot().granted());
    assertEquals(1, client.limiter(request).snapshot().granted());
    assertThrows(HttpWaitTooLongException.class, () -> send(client, request));

    limiter.setLimit("peer(2/1h)");
    assertEquals("hello", send(client, request).body());
    limiter.pause();
    assertTrue(client.limiter(request).snapshot().paused());
    assertThrows(HttpWaitTooLongException.class, () -> send(client, request));
    assertEquals("hello", send(client, get(other.uri("/"))).body());

    client.limiters().setLimit("peer(9/1h)");
    client.limiters().all().pause();
    assertThrows(HttpWaitTooLongException.class, () -> send(client, get(other.uri("/"))));
    client.limiters().all().resume();
    assertEquals("hello", send(client, get(other.uri("/"))).body());
    limiter.resume();
    assertThrows(HttpWaitTooLongException.class, () -> send(client, request)); // its own limit
    untilQuiet(client, request);
    untilQuiet(client, get(other.uri("/")));
    assertEquals(2, limiter.snapshot().granted());
    assertEquals(2, client.limiters().size());
  }

  @Test
  void theLimiterOfAHostIsFoundHoweverItIsSpelled() {
    PacedHttpClient client = PacedHttpClient.builder(plain()).limit("1/1h").build();
    client.limiter("API.Example.com.").pause();
    assertTrue(client.limiter("api.example.com").snapshot().paused());
    var request = get(URI.create("https://Api.example.com:443/"));
    assertTrue(client.limiter(request).snapshot().paused());
    assertEquals(1, client.limiters().size());
    client.limiter("[::1]:8080").pause();
    request = get(URI.create("http://[0:0:0:0:0:0:0:1]:8080/"));
    assertTrue(client.limiter(request).snapshot().paused());
  }

  /** A header has stopped the client for the better part of an hour. */
  @Test
  void aHostThatAnAnswerHasPausedGoesOnWhenResumed() throws Exception {
    var first = new AtomicInteger(1);
    RawServer server =
        server(
            (request, connection) -> {
              if (first.getAndDecrement() > 0) {
                connection.status(429, "Retry-After: 3000");
              } else {
                connection.ok("hello");
              }
            });
    HttpRequest request = get(server.uri("/"));
    PacedHttpClient client = PacedHttpClient.builder(plain()).limit("100/1s").build();
    assertEquals(429, send(client, request).statusCode());
    var later = client.sendAsync(request, BodyHandlers.ofString());
    until(() -> client.limiter(request).snapshot().waiting() == 1);
    String why = client.limiter(request).bottleneck().orElseThrow().reason();
    assertTrue(why.startsWith("paused until "), why);
    client.limiter(request).resume();
    assertEquals("hello", later.get().body());
    untilQuiet(client, request);
  }

  @Test
  void aKeyOfOnesOwnIsAKey() throws Exception {
    RawServer server = server((request, connection) -> connection.ok("hello"));
    PacedHttpClient client =
        PacedHttpClient.builder(plain()).limit("5/1h").by(HttpRequest::method).build();
    send(client, get(server.uri("/")));
    assertEquals(1, client.limiter("GET").snapshot().granted());
    assertEquals(0, client.limiter("get").snapshot().granted());
    assertEquals(0, client.limiter("POST").snapshot().granted());
  }

  @Test
  void aClientAroundLimitersHasThoseOfItsRequests() {
    PacedHttpClient client = paced();
    assertEquals(limiter, client.limiter(get(URI.create("http://localhost/"))));
    assertThrows(IllegalStateException.class, client::limiters);
    assertThrows(IllegalStateException.class, () -> client.limiter("localhost"));
  }

  @Test
  void nameAndListenerAreThoseOfTheLimiters() throws Exception {
    RawServer server = server((request, connection) -> connection.status(429, "Retry-After: 1"));
    var released = new AtomicInteger();
    var refused = new AtomicInteger();
    var listener =
        new LimiterListener() {
          @Override
          public void onRelease(Cost cost, long instant, long waited) {
            released.incrementAndGet();
          }

          @Override
          public void onPeerRefusal(PeerRefusal refusal) {
            refused.incrementAndGet();
          }
        };
    PacedHttpClient client =
        PacedHttpClient.builder(plain()).limit("5/1h").name("api").listener(listener).build();
    HttpRequest request = get(server.uri("/"));
    send(client, request);
    untilQuiet(client, request);
    assertEquals(1, released.get());
    assertEquals(1, refused.get());
    String name = client.limiter(request).name();
    assertTrue(name.startsWith("api[localhost:"), name);

    var given = PacedHttpClient.builder(plain()).limiter(limiter);
    assertThrows(IllegalStateException.class, given.name("x")::build);
  }
}
