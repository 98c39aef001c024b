package dev.pacegate.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One permit is one arrival on HTTP/2, too. */
@Timeout(60)
class H2cTest {

  private final Limiter limiter = Limiter.of("peer(1000000/1h)");

  private PacedHttpClient paced() {
    return PacedHttpClient.builder(
            HttpClient.newBuilder().version(Version.HTTP_2).followRedirects(Redirect.NORMAL))
        .limiter(limiter)
        .build();
  }

  private static HttpRequest get(H2cServer server) {
    return HttpRequest.newBuilder(server.uri("/")).build();
  }

  /** The thread of the client ends a permit a moment after the answer. */
  private void assertGranted(int granted) throws InterruptedException {
    for (int i = 0; i < 2_000 && limiter.snapshot().open() > 0; i++) {
      Thread.sleep(5); // polls
    }
    assertEquals(0, limiter.snapshot().open());
    assertEquals(granted, limiter.snapshot().granted());
  }

  @Test
  void oneConnectionManyPermits() throws Exception {
    try (var server = new H2cServer((arrival, stream) -> stream.ok("hello"))) {
      PacedHttpClient client = paced();
      assertEquals(Version.HTTP_2, client.send(get(server), BodyHandlers.ofString()).version());

      var answers = new ArrayList<CompletableFuture<HttpResponse<String>>>();
      for (int i = 0; i < 50; i++) {
        answers.add(client.sendAsync(get(server), BodyHandlers.ofString()));
      }
      for (var answer : answers) {
        assertEquals("hello", answer.get().body());
      }

      assertEquals(51, server.arrivals());
      assertGranted(51);
    }
  }

  @Test
  void redirectsTakePermits() throws Exception {
    try (var server =
        new H2cServer(
            (arrival, stream) -> {
              if (arrival % 3 == 0) {
                stream.ok("there");
              } else {
                stream.redirect("/next");
              }
            })) {
      assertEquals("there", paced().send(get(server), BodyHandlers.ofString()).body());
      assertEquals(3, server.arrivals());
      assertGranted(3);
    }
  }

  /** A stream that the peer has refused is sent again by newer JDKs: so it takes two permits. */
  @ParameterizedTest
  @ValueSource(ints = {0, 2, 7, 8})
  void resetStreamsTakeAsManyPermitsAsArrive(int code) throws Exception {
    try (var server =
        new H2cServer(
            (arrival, stream) -> {
              if (arrival == 1) {
                stream.ok("first");
              } else {
                stream.reset(code);
              }
            })) {
      PacedHttpClient client = paced();
      client.send(get(server), BodyHandlers.ofString());

      assertThrows(IOException.class, () -> client.send(get(server), BodyHandlers.ofString()));

      assertGranted(server.arrivals());
    }
  }

  @Test
  void whoIsSentAwayTakesAsManyPermitsAsArrive() throws Exception {
    try (var server =
        new H2cServer(
            (arrival, stream) -> {
              if (arrival == 2) {
                stream.goAway();
              } else {
                stream.ok("hello");
              }
            })) {
      PacedHttpClient client = paced();
      client.send(get(server), BodyHandlers.ofString());
      try {
        assertEquals("hello", client.send(get(server), BodyHandlers.ofString()).body());
      } catch (IOException ofOlderJdks) {
        assertTrue(Runtime.version().feature() < 24, "not sent again: " + ofOlderJdks);
      }

      assertGranted(server.arrivals());
    }
  }

  @Test
  void aCancelledBodyEndsThePermit() throws Exception {
    try (var server = new H2cServer((arrival, stream) -> stream.half())) {
      PacedHttpClient client = paced();
      var answer = client.send(get(server), BodyHandlers.ofInputStream());
      assertEquals(1, limiter.snapshot().open());

      answer.body().close();

      assertGranted(1);
    }
  }
}
