package dev.pacegate.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.tck.RawServer;
import java.io.IOException;
import java.net.Authenticator;
import java.net.InetSocketAddress;
import java.net.PasswordAuthentication;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Credentials go to whom they are meant for, and each round takes a permit. */
@Timeout(60)
class CredentialsTest {

  private static final String SERVER = "authorization";
  private static final String PROXY = "proxy-authorization";

  private final Limiter limiter = Limiter.of("peer(1000000/1h)");
  private final List<AutoCloseable> toClose = new ArrayList<>();
  private final List<String> asked = new ArrayList<>();
  private volatile String password = "pw";

  /** Knows one password, and notes for what it is asked. */
  private final Authenticator authenticator =
      new Authenticator() {
        @Override
        protected PasswordAuthentication getPasswordAuthentication() {
          asked.add(getRequestorType() + " " + getRequestingHost() + ":" + getRequestingPort());
          String user = getRequestorType() == RequestorType.PROXY ? "proxy" : "server";
          return new PasswordAuthentication(user, password.toCharArray());
        }
      };

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : toClose) {
      each.close();
    }
  }

  private RawServer server(RawServer.ServerScript script) throws IOException {
    var server = new RawServer(script);
    toClose.add(server);
    return server;
  }

  private HttpClient.Builder asking() {
    return HttpClient.newBuilder()
        .version(Version.HTTP_1_1)
        .followRedirects(Redirect.NORMAL)
        .authenticator(authenticator);
  }

  private PacedHttpClient paced(HttpClient.Builder client) {
    return PacedHttpClient.builder(client).limiter(limiter).build();
  }

  private static HttpClient.Builder through(RawServer proxy, HttpClient.Builder client) {
    return client.proxy(
        ProxySelector.of(new InetSocketAddress("localhost", proxy.uri("/").getPort())));
  }

  private static HttpRequest get(URI uri, String... headers) {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri);
    if (headers.length > 0) {
      request.headers(headers);
    }
    return request.build();
  }

  private static String send(HttpClient client, HttpRequest request) throws Exception {
    HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
    return answer.statusCode() + " " + answer.body();
  }

  private static String basic(String user, String password) {
    byte[] pair = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
    return "Basic " + Base64.getEncoder().encodeToString(pair);
  }

  private void assertGranted(int granted) throws InterruptedException {
    for (int i = 0; i < 2_000 && limiter.snapshot().open() > 0; i++) {
      Thread.sleep(5); // polls
    }
    assertEquals(0, limiter.snapshot().open());
    assertEquals(granted, limiter.snapshot().granted());
  }

  /** Lets in who has the password, and says so. */
  private void guard(RawServer.Received request, RawServer.Connection connection)
      throws IOException {
    Map<String, String> headers = request.headers();
    if (basic("server", password).equals(headers.get(SERVER))) {
      connection.ok("in");
    } else {
      connection.status(401, "WWW-Authenticate: Basic realm=\"s\"");
    }
  }

  private void guardTwice(RawServer.Received request, RawServer.Connection connection)
      throws IOException {
    if (basic("proxy", password).equals(request.headers().get(PROXY))) {
      guard(request, connection);
    } else {
      connection.status(407, "Proxy-Authenticate: Basic realm=\"p\"");
    }
  }

  @Test
  void credentialsOfACallerAreNotSentForOthers() throws Exception {
    RawServer server = server((request, connection) -> connection.ok(""));
    PacedHttpClient client = paced(asking());

    send(client, get(server.uri("/a"), "Authorization", "Bearer of-one-user"));
    send(client, get(server.uri("/b")));

    assertFalse(server.requests().get(1).headers().containsKey(SERVER));
  }

  @Test
  void aPasswordThatHasChangedIsAskedForAgain() throws Exception {
    RawServer server = server(this::guard);
    PacedHttpClient client = paced(asking());
    assertEquals("200 in", send(client, get(server.uri("/a"))));

    password = "other";

    assertEquals("200 in", send(client, get(server.uri("/a"))));
    assertEquals("200 in", send(client, get(server.uri("/a"))));
    assertEquals(2, asked.size());
    assertEquals(5, server.arrivals());
    assertGranted(5);
  }

  @Test
  void aProxyAndItsServerMayBothAsk() throws Exception {
    RawServer proxy = server(this::guardTwice);
    PacedHttpClient client = paced(through(proxy, asking()));

    assertEquals("200 in", send(client, get(URI.create("http://there.invalid/a"))));

    assertEquals(
        List.of("PROXY localhost:" + proxy.uri("/").getPort(), "SERVER there.invalid:-1"), asked);
    assertEquals(3, proxy.arrivals());
    assertGranted(3);
  }

  @Test
  void bothAreRememberedAsByTheJdk() throws Exception {
    RawServer proxy = server(this::guardTwice);
    HttpClient theirs = through(proxy, asking()).build();
    for (int i = 0; i < 3; i++) {
      assertEquals("200 in", send(theirs, get(URI.create("http://there.invalid/a"))));
    }
    int arrivals = proxy.arrivals();
    PacedHttpClient ours = paced(through(proxy, asking()));

    for (int i = 0; i < 3; i++) {
      assertEquals("200 in", send(ours, get(URI.create("http://there.invalid/a"))));
    }

    assertEquals(2 * arrivals, proxy.arrivals());
    assertGranted(arrivals);
  }

  /** What is asked of a proxy is no answer of the peer's: the request itself was never sent. */
  @Test
  void aTunnelThatIsRefusedCostsNothing() throws Exception {
    RawServer proxy =
        server((request, connection) -> connection.status(407, "Proxy-Authenticate: Basic"));
    Limiter one = Limiter.of("peer(1/1h)");
    PacedHttpClient client =
        PacedHttpClient.builder(through(proxy, HttpClient.newBuilder().version(Version.HTTP_1_1)))
            .limiter(one)
            .build();
    HttpRequest request = get(URI.create("https://there.invalid/a"));

    assertEquals(407, client.send(request, BodyHandlers.ofString()).statusCode());
    assertEquals(407, client.sendAsync(request, BodyHandlers.ofString()).get().statusCode());

    assertTrue(one.tryAcquire().isPresent());
    assertEquals("CONNECT", proxy.requests().get(0).method());
  }

  @Test
  void aTunnelThatWantsCredentialsEndsAsByTheJdk() throws Exception {
    RawServer proxy =
        server((request, connection) -> connection.status(407, "Proxy-Authenticate: Basic"));
    HttpRequest request = get(URI.create("https://there.invalid/a"));

    int theirs =
        through(proxy, asking()).build().send(request, BodyHandlers.ofString()).statusCode();
    int ours = paced(through(proxy, asking())).send(request, BodyHandlers.ofString()).statusCode();

    assertEquals(theirs, ours);
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  void aServerThatActsTheProxyGetsNoCredentials() throws Exception {
    RawServer server =
        server((request, connection) -> connection.status(407, "Proxy-Authenticate: Basic"));

    assertEquals("407 ", send(paced(asking()), get(server.uri("/"))));

    assertTrue(server.requests().stream().noneMatch(r -> r.headers().containsKey(PROXY)));
  }

  @Test
  void credentialsStayWithTheirServerWhenItRedirects() throws Exception {
    RawServer other = server((request, connection) -> connection.ok("other"));
    RawServer server =
        server(
            (request, connection) -> {
              if (request.headers().containsKey(SERVER)) {
                connection.status(302, "Location: " + other.uri("/"));
              } else {
                guard(request, connection);
              }
            });

    assertEquals("200 other", send(paced(asking()), get(server.uri("/"))));

    assertFalse(other.requests().get(0).headers().containsKey(SERVER));
  }

  @Test
  void aChallengeThatIsMissingIsAnIoError() throws Exception {
    RawServer server = server((request, connection) -> connection.status(401));

    assertThrows(IOException.class, () -> send(paced(asking()), get(server.uri("/"))));
    assertGranted(1);
  }
}
