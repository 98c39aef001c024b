package dev.pacegate.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.tck.H2Server;
import dev.pacegate.adapter.tck.RawServer;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One permit is one arrival on HTTP/2, too, with TLS and without. */
@Timeout(60)
@Tag("jdk") // newer clients send a refused stream again
@ParameterizedClass
@ValueSource(booleans = {false, true})
class H2Test {

  @TempDir static Path folder;
  private static SSLContext secure;

  @Parameter boolean tls;

  private final Limiter limiter = Limiter.of("peer(1000000/1h)");

  @BeforeAll
  static void makeKeys() throws Exception {
    secure = Tls.localhost(folder);
  }

  private H2Server server(H2Server.StreamScript script) throws IOException {
    return new H2Server(script, tls ? secure : null);
  }

  private HttpClient.Builder plain() {
    HttpClient.Builder client =
        HttpClient.newBuilder().version(Version.HTTP_2).followRedirects(Redirect.NORMAL);
    return tls ? client.sslContext(secure) : client;
  }

  private PacedHttpClient paced() {
    return PacedHttpClient.builder(plain()).limiter(limiter).build();
  }

  private static HttpRequest get(H2Server server) {
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
    try (var server = server((arrival, stream) -> stream.ok("hello"))) {
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
        server(
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
  @ValueSource(ints = {0, 2, 7, 8, 11, 13})
  void resetStreamsTakeAsManyPermitsAsArrive(int code) throws Exception {
    try (var server =
        server(
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
  void aRequestThatIsSentAwayTakesAPermitPerArrival() throws Exception {
    try (var server =
        server(
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
    try (var server = server((arrival, stream) -> stream.half())) {
      PacedHttpClient client = paced();
      var answer = client.send(get(server), BodyHandlers.ofInputStream());
      assertEquals(1, limiter.snapshot().open());

      answer.body().close();

      assertGranted(1);
    }
  }

  /** It was not asked for, and the peer counts what it is asked for. */
  @Test
  void aPushedResponseTakesNoPermit() throws Exception {
    try (var server =
        server(
            (arrival, stream) -> {
              stream.push("pushed");
              stream.ok("hello");
            })) {
      var pushed = new ConcurrentHashMap<HttpRequest, CompletableFuture<HttpResponse<String>>>();

      var answer =
          paced()
              .sendAsync(
                  get(server),
                  BodyHandlers.ofString(),
                  PushPromiseHandler.of(request -> BodyHandlers.ofString(), pushed));

      assertEquals("hello", answer.get().body());
      assertEquals(1, pushed.size());
      assertEquals("pushed", pushed.values().iterator().next().get().body());
      assertGranted(1);
    }
  }

  /** The JDK's client says that it takes none, and breaks with a server that does not listen. */
  @Test
  void pushesThatAreNotTakenEndThePermit() throws Exception {
    try (var server =
        server(
            (arrival, stream) -> {
              stream.push("pushed");
              stream.ok("hello");
            })) {

      PacedHttpClient client = paced();

      assertThrows(IOException.class, () -> client.send(get(server), BodyHandlers.ofString()));

      assertGranted(1);
    }
  }

  /** From a connection that cannot be listened to, no request is redirected to one that can. */
  @Test
  void secretsStaySecret() throws Exception {
    try (var open = new RawServer((request, connection) -> connection.ok("open"));
        var server = server((arrival, stream) -> stream.redirect(open.uri("/").toString()))) {
      HttpRequest request =
          HttpRequest.newBuilder(server.uri("/")).header("Authorization", "secret").build();

      int status = paced().send(request, BodyHandlers.ofString()).statusCode();
      PacedHttpClient bold =
          PacedHttpClient.builder(plain().followRedirects(Redirect.ALWAYS))
              .limiter(limiter)
              .build();
      String body = bold.send(request, BodyHandlers.ofString()).body();

      assertEquals(tls ? 302 : 200, status);
      assertEquals("open", body);
      for (RawServer.Received arrived : open.requests()) {
        assertFalse(arrived.headers().containsKey("authorization"));
      }
    }
  }

  @Test
  void toAServerThatIsNotTrustedNothingIsSent() throws Exception {
    Limiter one = Limiter.of("peer(1/1h)");
    HttpClient.Builder trusting = HttpClient.newBuilder();
    try (var server = new H2Server((arrival, stream) -> stream.ok("hello"), secure)) {
      PacedHttpClient client = PacedHttpClient.builder(trusting).limiter(one).build();

      assertThrows(IOException.class, () -> client.send(get(server), BodyHandlers.ofString()));

      assertTrue(one.tryAcquire().isPresent());
      assertEquals(0, server.arrivals());
    }
  }
}
