package dev.pacegate.http;

import static java.time.Duration.ofMillis;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.adapter.tck.RawServer;
import java.io.IOException;
import java.net.Authenticator;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.PasswordAuthentication;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One permit is one arrival, and it ends as the exchange does. */
@Timeout(60)
@Tag("jdk") // whose client it is compared with
class PacedHttpClientTest extends PacedHttpCases {

  // ---- plain

  @Test
  void anAnswerEndsThePermit() throws Exception {
    RawServer server = server((request, connection) -> connection.ok("hello"));

    HttpResponse<String> answer = send(paced(), get(server.uri("/")));

    assertEquals(200, answer.statusCode());
    assertEquals("hello", answer.body());
    assertEquals(1, server.arrivals());
    assertGranted(1);
  }

  @Test
  void asynchronousAnswersEndTheirPermits() throws Exception {
    RawServer server = server((request, connection) -> connection.ok("hello"));
    PacedHttpClient client = paced();

    var answers = new ArrayList<CompletableFuture<HttpResponse<String>>>();
    for (int i = 0; i < 20; i++) {
      answers.add(client.sendAsync(get(server.uri("/")), BodyHandlers.ofString()));
    }

    for (var answer : answers) {
      assertEquals("hello", answer.get().body());
    }
    assertEquals(20, server.arrivals());
    assertGranted(20);
  }

  @Test
  void textCountsAsThePeerDoesForEachHost() throws Exception {
    RawServer one = server((request, connection) -> connection.ok("1"));
    RawServer other = server((request, connection) -> connection.ok("2"));
    PacedHttpClient client =
        PacedHttpClient.builder(plain()).limit("1/1h").maxWait(Duration.ZERO).build();

    assertEquals("1", send(client, get(one.uri("/"))).body());
    assertEquals("2", send(client, get(other.uri("/"))).body());
    assertThrows(HttpWaitTooLongException.class, () -> send(client, get(one.uri("/"))));
    assertEquals(1, one.arrivals());
  }

  @Test
  void anUnsentRequestIsNotCountedByThePeer() throws Exception {
    int free;
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = socket.getLocalPort();
    }
    URI uri = URI.create("http://localhost:" + free + "/");
    Limiter one = Limiter.of("peer(1/1h)");
    PacedHttpClient client = paced(one);

    assertThrows(ConnectException.class, () -> send(client, get(uri)));
    ExecutionException failure =
        assertThrows(
            ExecutionException.class,
            () -> client.sendAsync(get(uri), BodyHandlers.ofString()).get());
    assertInstanceOf(ConnectException.class, failure.getCause());

    untilQuiet(one);
    assertTrue(one.tryAcquire().isPresent());
  }

  @Test
  void aKeyIsALimiterThatIsPausedAndChangedOnItsOwn() throws Exception {
    RawServer server = server((request, connection) -> connection.ok("hello"));
    KeyedLimiter<String> keyed = KeyedLimiter.of("peer(1/1h)");
    HttpClient client =
        PacedHttpClient.builder(plain())
            .limiters(keyed, HttpRequest::method)
            .maxWait(ofMillis(50))
            .build();
    HttpRequest post = post(server.uri("/"), "body");
    assertEquals(200, send(client, get(server.uri("/"))).statusCode());
    assertEquals(200, send(client, post).statusCode());
    assertThrows(HttpWaitTooLongException.class, () -> send(client, post));
    keyed.limiter("POST").setLimit("peer(3/1h)");
    assertEquals(200, send(client, post).statusCode());
    keyed.limiter("POST").pause();
    assertThrows(HttpWaitTooLongException.class, () -> send(client, post));
    assertThrows(HttpWaitTooLongException.class, () -> send(client, get(server.uri("/"))));
    keyed.limiter("POST").resume();
    assertEquals(200, client.sendAsync(post, BodyHandlers.ofString()).get().statusCode());
    assertEquals(3, keyed.limiter("POST").snapshot().granted());
    assertEquals(1, keyed.limiter("GET").snapshot().granted());
  }

  // ---- redirects

  @ParameterizedTest
  @CsvSource({
    "301, GET", "302, GET", "303, GET", "307, GET", "308, GET", "301, POST", "302, POST",
    "303, POST", "307, POST", "308, POST", "301, PUT", "303, PUT", "307, PUT", "300, GET",
    "304, GET", "305, GET", "309, GET", "399, GET"
  })
  void redirectsAreFollowedAsByTheJdkWithAPermitEach(int status, String method) throws Exception {
    RawServer server =
        server(
            (request, connection) -> {
              if (request.path().equals("/from")) {
                connection.status(status, "Location: /to?x=1");
              } else {
                connection.ok(request.method() + " " + request.path());
              }
            });
    HttpRequest request =
        HttpRequest.newBuilder(server.uri("/from"))
            .method(
                method,
                method.equals("GET") ? BodyPublishers.noBody() : BodyPublishers.ofString("body"))
            .header("Authorization", "mine")
            .build();
    HttpClient.Builder following = plain().followRedirects(Redirect.NORMAL);

    HttpResponse<String> theirs = send(following.build(), request);
    int arrivals = server.arrivals();
    HttpResponse<String> ours =
        send(PacedHttpClient.builder(following).limiter(limiter).build(), request);

    assertEquals(theirs.statusCode(), ours.statusCode());
    assertEquals(theirs.body(), ours.body());
    assertEquals(theirs.uri(), ours.uri());
    assertEquals(
        theirs.previousResponse().map(HttpResponse::statusCode),
        ours.previousResponse().map(HttpResponse::statusCode));
    assertEquals(2 * arrivals, server.arrivals());
    assertGranted(arrivals);
    RawServer.Received last = server.requests().get(server.arrivals() - 1);
    assertEquals("mine", last.headers().get("authorization"));
    if (ours.request().method().equals(method)) {
      assertEquals(method.equals("GET") ? "" : "body", last.body());
    } else {
      assertEquals("", last.body());
    }
  }

  @Test
  void theClientGivenIsNotChanged() {
    HttpClient.Builder given = plain().followRedirects(Redirect.ALWAYS);

    PacedHttpClient client = PacedHttpClient.builder(given).limit("1/1s").build();

    assertEquals(Redirect.ALWAYS, client.followRedirects());
    assertEquals(Redirect.ALWAYS, given.build().followRedirects());
    assertEquals(Version.HTTP_1_1, client.version());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void loopsEndAsByTheJdk(boolean async) throws Exception {
    RawServer server = server((request, connection) -> connection.status(302, "Location: /again"));
    HttpClient.Builder following = plain().followRedirects(Redirect.ALWAYS);
    int theirs = send(following.build(), get(server.uri("/"))).statusCode();
    int arrivals = server.arrivals();
    PacedHttpClient client = PacedHttpClient.builder(following).limiter(limiter).build();

    HttpResponse<String> ours =
        async
            ? client.sendAsync(get(server.uri("/")), BodyHandlers.ofString()).get()
            : send(client, get(server.uri("/")));

    assertEquals(theirs, ours.statusCode());
    assertEquals(2 * arrivals, server.arrivals());
    assertGranted(arrivals);
  }

  @Test
  void credentialsForOneHostDoNotGoToAnother() throws Exception {
    RawServer other = server((request, connection) -> connection.ok("other"));
    RawServer server =
        server((request, connection) -> connection.status(302, "Location: " + other.uri("/")));
    HttpClient client =
        PacedHttpClient.builder(plain()).followRedirects(Redirect.NORMAL).limiter(limiter).build();
    HttpRequest request =
        HttpRequest.newBuilder(server.uri("/"))
            .header("Authorization", "secret")
            .header("Cookie", "secret")
            .header("X-Other", "kept")
            .build();

    assertEquals("other", send(client, request).body());

    RawServer.Received last = other.requests().get(0);
    assertFalse(last.headers().containsKey("authorization"));
    assertFalse(last.headers().containsKey("cookie"));
    assertEquals("kept", last.headers().get("x-other"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"Location: http://[", "Location: ftp://x/", "X: y", "Location: mailto:a"})
  void aRedirectToNowhereIsAnIoError(String header) throws Exception {
    RawServer server = server((request, connection) -> connection.status(302, header));
    HttpClient client =
        PacedHttpClient.builder(plain().followRedirects(Redirect.ALWAYS)).limiter(limiter).build();

    assertThrows(IOException.class, () -> send(client, get(server.uri("/"))));
    var failure =
        assertThrows(
            ExecutionException.class,
            () -> client.sendAsync(get(server.uri("/")), BodyHandlers.ofString()).get());
    assertInstanceOf(IOException.class, failure.getCause());
    assertGranted(2);
  }

  @Test
  void redirectsTakeAPermitOfTheirOwnHost() throws Exception {
    RawServer other = server((request, connection) -> connection.ok("other"));
    RawServer server =
        server((request, connection) -> connection.status(302, "Location: " + other.uri("/")));
    HttpClient client =
        PacedHttpClient.builder(plain())
            .followRedirects(Redirect.NORMAL)
            .limit("1/1h")
            .maxWait(Duration.ZERO)
            .build();

    assertEquals(200, send(client, get(server.uri("/"))).statusCode());
    assertThrows(HttpWaitTooLongException.class, () -> send(client, get(other.uri("/"))));
  }

  // ---- authentication

  private RawServer guarded(String user) throws IOException {
    String expected =
        "Basic "
            + Base64.getEncoder().encodeToString((user + ":pw").getBytes(StandardCharsets.UTF_8));
    return server(
        (request, connection) -> {
          if (expected.equals(request.headers().get("authorization"))) {
            connection.ok("in");
          } else {
            connection.status(401, "WWW-Authenticate: Basic realm=\"r\"");
          }
        });
  }

  private static Authenticator user(String name) {
    return new Authenticator() {
      @Override
      protected PasswordAuthentication getPasswordAuthentication() {
        return new PasswordAuthentication(name, "pw".toCharArray());
      }
    };
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRoundOfAuthenticationTakesAPermit(boolean async) throws Exception {
    RawServer server = guarded("me");
    PacedHttpClient client =
        PacedHttpClient.builder(plain().authenticator(user("me"))).limiter(limiter).build();

    for (int i = 0; i < 3; i++) {
      HttpResponse<String> answer =
          async
              ? client.sendAsync(get(server.uri("/a/b")), BodyHandlers.ofString()).get()
              : send(client, get(server.uri("/a/b")));
      assertEquals("in", answer.body());
    }

    assertEquals(4, server.arrivals()); // once refused, then known
    assertGranted(4);
  }

  @Test
  void wrongCredentialsAreTriedOnce() throws Exception {
    RawServer server = guarded("me");
    PacedHttpClient client =
        PacedHttpClient.builder(plain().authenticator(user("you"))).limiter(limiter).build();

    assertEquals(401, send(client, get(server.uri("/"))).statusCode());

    assertEquals(2, server.arrivals());
    assertGranted(2);
  }

  @Test
  void aCallerThatAuthenticatesItselfIsLeftToIt() throws Exception {
    RawServer server = guarded("me");
    PacedHttpClient client =
        PacedHttpClient.builder(plain().authenticator(user("me"))).limiter(limiter).build();
    HttpRequest request =
        HttpRequest.newBuilder(server.uri("/")).header("Authorization", "mine").build();

    assertEquals(401, send(client, request).statusCode());
    assertEquals(1, server.arrivals());
  }
}
