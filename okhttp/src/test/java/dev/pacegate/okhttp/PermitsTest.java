package dev.pacegate.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.NotSentException;
import dev.pacegate.adapter.tck.H2Server;
import dev.pacegate.adapter.tck.RawServer;
import dev.pacegate.limit.Cost;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.Socket;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Response;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each request on the wire has its permit, and nothing else has one. */
class PermitsTest extends OkHttpCases {

  /** Redirects twice, then answers. */
  private static void redirect(RawServer.Received request, RawServer.Connection connection)
      throws IOException {
    if (request.path().equals("/2")) {
      connection.ok("hello");
    } else {
      connection.status(302, "Location: " + (request.path().equals("/1") ? "/2" : "/1"));
    }
  }

  @Test
  void eachRedirectTakesAPermit() throws IOException {
    try (var server = new RawServer(PermitsTest::redirect)) {
      assertEquals("hello", get(paced(), server.uri("/0")));
      assertEquals(3, server.arrivals());
    }
    assertPermits(3);
  }

  @Test
  void aRedirectBeginsAfterThePermitOfTheRequestBeforeHasEnded() throws IOException {
    Limiter one = Limiter.of("concurrent(1)");
    try (var server = new RawServer(PermitsTest::redirect)) {
      assertEquals("hello", get(paced().limiter(one).refused(it -> null), server.uri("/0")));
    }
    assertEquals(3, one.snapshot().granted());
  }

  @Test
  void tooManyRedirectsLeaveNoPermitOpen() throws IOException {
    PacedOkHttp options = paced().refused(response -> null);
    try (var server =
        new RawServer((request, connection) -> connection.status(302, "Location: /"))) {
      assertThrows(ProtocolException.class, () -> get(options, server.uri("/")));
      assertEquals(21, server.arrivals());
    }
    assertPermits(21);
  }

  @Test
  void aRedirectThatIsNotFollowedIsTheResponse() throws IOException {
    var judged = new ArrayList<Integer>();
    var client = new OkHttpClient.Builder().followRedirects(false).build();
    PacedOkHttp options =
        paced(client)
            .refused(
                response -> {
                  judged.add(response.code());
                  return null;
                });
    try (var server = new RawServer(PermitsTest::redirect)) {
      call(options, server.uri("/0")).execute().close();
    }
    assertEquals(List.of(302), judged);
    assertPermits(1);
  }

  @Test
  void onlyTheResponseOfTheCallerIsSettled() throws IOException {
    Limiter tokens = Limiter.of("peer(1000/1h of tokens)");
    var settled = new ArrayList<Integer>();
    PacedOkHttp options =
        paced()
            .limiter(tokens)
            .cost(request -> Cost.of("tokens", 300))
            .settle(
                (response, cost) -> {
                  settled.add(response.code());
                  return Cost.of("tokens", 5);
                });
    try (var server = new RawServer(PermitsTest::redirect)) {
      get(options, server.uri("/0"));
    }
    assertEquals(List.of(200), settled);
    assertTrue(tokens.bottleneck(Cost.of("tokens", 395)).isEmpty());
    assertTrue(tokens.bottleneck(Cost.of("tokens", 396)).isPresent());
  }

  @Test
  void eachRoundOfAuthenticationTakesAPermit() throws IOException {
    var judged = new ArrayList<Integer>();
    var client =
        new OkHttpClient.Builder()
            .authenticator(
                (route, response) ->
                    response.request().newBuilder().header("Authorization", "x").build())
            .build();
    PacedOkHttp options =
        paced(client)
            .refused(
                response -> {
                  judged.add(response.code());
                  return null;
                });
    try (var server =
        new RawServer(
            (request, connection) -> {
              if (request.headers().containsKey("authorization")) {
                connection.ok("hello");
              } else {
                connection.status(401);
              }
            })) {
      assertEquals("hello", get(options, server.uri("/")));
      assertEquals(2, server.arrivals());
    }
    assertEquals(List.of(200), judged);
    assertPermits(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {408, 503})
  void aResponseThatOkHttpAnswersWithARetryTakesAFurtherPermit(int status) throws IOException {
    try (var server =
        new RawServer(
            (request, connection) -> {
              if (request.number() == 1) {
                connection.status(status, "Retry-After: 0");
              } else {
                connection.ok("hello");
              }
            })) {
      assertEquals("hello", get(paced(), server.uri("/")));
      assertEquals(2, server.arrivals());
    }
    assertPermits(2);
  }

  /** The server closes a kept connection instead of answering. */
  @Test
  void aRetryOnANewConnectionTakesAFurtherPermit() throws IOException {
    OkHttpClient client = paced().build();
    try (var server =
        new RawServer(
            (request, connection) -> {
              if (request.number() == 1) {
                connection.ok("hello");
              } else {
                connection.close();
              }
            })) {
      assertEquals("hello", get(client, server.uri("/")));
      assertEquals("hello", get(client, server.uri("/")));
      assertEquals(3, server.arrivals());
    }
    assertEquals(3, limiter.snapshot().granted());
    assertEquals(1, limiter.snapshot().lost());
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  void anAddressThatRefusesTakesNoPermit() throws IOException {
    try (var server = new RawServer((request, connection) -> connection.ok("hello"))) {
      var client = new OkHttpClient.Builder().dns(host -> both()).build();
      URI uri = URI.create("http://both.test:" + server.port() + "/");
      assertEquals("hello", get(paced(client), uri));
    }
    assertPermits(1);
  }

  /** The server is at the second. */
  private static List<InetAddress> both() throws UnknownHostException {
    return List.of(
        InetAddress.getByAddress(new byte[] {127, 0, 0, 2}),
        InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
  }

  @Test
  void aRequestWithoutAConnectionGivesItsPermitBack() throws IOException {
    Limiter two = Limiter.of("peer(2/1h)");
    try (var bound = new Socket()) { // so that no other process takes it, but not listening
      bound.bind(new InetSocketAddress("localhost", 0));
      URI gone = URI.create("http://localhost:" + bound.getLocalPort() + "/");
      for (int i = 0; i < 5; i++) {
        assertThrows(ConnectException.class, () -> get(paced().limiter(two), gone));
      }
    }
    assertEquals(0, two.snapshot().open());
    assertEquals(0, two.snapshot().lost());
    assertTrue(two.bottleneck(Cost.of(2)).isEmpty());
  }

  @Test
  void eachStreamOfOneConnectionTakesAPermit() throws Exception {
    try (var server = new H2Server((arrival, stream) -> stream.ok("hello"))) {
      OkHttpClient client = paced(h2()).build();
      get(client, server.uri("/")); // there is a connection for all others then
      var calls = new ArrayList<CompletableFuture<String>>();
      for (int i = 0; i < 9; i++) {
        calls.add(Calls.enqueue(client.newCall(request(server.uri("/")))));
      }
      for (CompletableFuture<String> call : calls) {
        assertEquals("hello", call.get());
      }
      assertEquals(10, server.arrivals());
      assertEquals(1, client.connectionPool().connectionCount());
    }
    assertPermits(10);
  }

  /** OkHttp 4 sends it again on the same connection. */
  @Test
  void eachArrivalOfARefusedStreamHasAPermit() throws IOException {
    try (var server =
        new H2Server(
            (arrival, stream) -> {
              if (arrival == 1) {
                stream.reset(7);
              } else {
                stream.ok("hello");
              }
            })) {
      try {
        get(paced(h2()), server.uri("/"));
      } catch (IOException notSentAgain) {
        assertEquals(1, server.arrivals());
      }
      assertEquals(server.arrivals(), limiter.snapshot().granted());
    }
    assertEquals(0, limiter.snapshot().open());
  }

  static OkHttpClient h2() {
    return new OkHttpClient.Builder().protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE)).build();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRetryOfAnInterceptorTakesAFurtherPermit(boolean inside) throws IOException {
    Interceptor twice =
        chain -> {
          chain.proceed(chain.request()).close();
          return chain.proceed(chain.request());
        };
    OkHttpClient client = intercepted(twice, inside);
    try (var server = new RawServer((request, connection) -> connection.ok("hello"))) {
      assertEquals("hello", get(client, server.uri("/")));
      assertEquals(2, server.arrivals());
    }
    assertPermits(2);
  }

  @Test
  void aResponseOfAnInterceptorTakesNoPermit() throws IOException {
    try (var server = new RawServer((request, connection) -> connection.ok("hello"))) {
      Response stored = new OkHttpClient().newCall(request(server.uri("/"))).execute();
      Response made = stored.newBuilder().networkResponse(null).build();
      OkHttpClient client = paced().build().newBuilder().addInterceptor(chain -> made).build();
      assertEquals("hello", get(client, server.uri("/")));
      assertEquals(1, server.arrivals()); // of the other client
    }
    assertEquals(0, limiter.snapshot().open());
    assertTrue(limiter.bottleneck(Cost.of(1000)).isEmpty());
  }

  @Test
  void aClientOfTwoLimitersHeedsBoth() throws IOException {
    Limiter account = Limiter.of("peer(1000/1h)");
    OkHttpClient client = paced(paced().limiter(account).build()).build();
    try (var server = new RawServer(PermitsTest::redirect)) {
      assertEquals("hello", get(client, server.uri("/0")));
    }
    assertPermits(3);
    assertEquals(3, account.snapshot().granted());
    assertEquals(0, account.snapshot().open());
  }

  @Test
  void aWebSocketIsRefused() throws Exception {
    var failed = new CompletableFuture<Throwable>();
    try (var server = new RawServer((request, connection) -> connection.ok("hello"))) {
      paced()
          .build()
          .newWebSocket(
              request(server.uri("/")),
              new WebSocketListener() {
                @Override
                public void onFailure(
                    WebSocket socket, Throwable failure, @Nullable Response response) {
                  failed.complete(failure);
                }
              });
      assertEquals(
          "a paced client opens no WebSocket, as OkHttp hides its redirects and retries:"
              + " open it with the client that is not paced, and take a permit before",
          failed.get().getMessage());
      assertEquals(0, server.arrivals());
    }
    assertPermits(0);
  }

  @Test
  void aClientWithoutItsInterceptorSendsNothing() throws IOException {
    OkHttpClient.Builder broken = paced().build().newBuilder();
    broken.interceptors().clear();
    try (var server = new RawServer((request, connection) -> connection.ok("hello"))) {
      assertThrows(IllegalStateException.class, () -> get(broken.build(), server.uri("/")));
      assertEquals(0, server.arrivals());
    }
  }

  @Test
  void thePacingOfAClientIsThatOfItsDerivedOnes() {
    OkHttpClient client = PacedOkHttp.builder().limit("10/1m").build();
    OkHttpClient derived = client.newBuilder().followRedirects(false).build();
    var request = request(URI.create("http://localhost/"));
    assertEquals("peer(10/1m)", PacedOkHttp.pacing(client).limiter(request).limit().toString());
    assertEquals(PacedOkHttp.pacing(client), PacedOkHttp.pacing(derived));
    var plain = new OkHttpClient();
    var thrown = assertThrows(IllegalArgumentException.class, () -> PacedOkHttp.pacing(plain));
    assertEquals(
        "this client is not paced: build it by PacedOkHttp.builder(client)", thrown.getMessage());
  }

  /** OkHttp tries the next address after a failure, and would wait there once more. */
  @Test
  void aRetryThatGetsNoPermitIsNotRetried() throws IOException {
    var asked = new AtomicInteger();
    Limiter one = Limiter.of("peer(1/1h)");
    var client = new OkHttpClient.Builder().dns(host -> loopbacks(4)).build();
    PacedOkHttp options =
        paced(client)
            .limiter(one)
            .maxWait(Duration.ZERO)
            .cost(
                request -> {
                  asked.incrementAndGet();
                  return Cost.ONE;
                });
    try (var server =
        new RawServer(
            (request, connection) -> connection.close(), InetAddress.getByName("0.0.0.0"))) {
      URI uri = URI.create("http://many.test:" + server.port() + "/");
      assertThrows(NotSentException.class, () -> get(options, uri));
      assertEquals(1, server.arrivals());
    }
    assertEquals(2, asked.get());
    assertEquals(0, one.snapshot().open());
  }

  private static List<InetAddress> loopbacks(int count) throws UnknownHostException {
    var all = new ArrayList<InetAddress>();
    for (byte last = 1; last <= count; last++) {
      all.add(InetAddress.getByAddress(new byte[] {127, 0, 0, last}));
    }
    return all;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aResponseThatAnInterceptorDropsIsLost(boolean inside) throws IOException {
    Interceptor drops =
        chain -> {
          chain.proceed(chain.request());
          throw new IOException("dropped");
        };
    try (var server = new RawServer((request, connection) -> connection.ok("hello"))) {
      assertThrows(IOException.class, () -> get(intercepted(drops, inside), server.uri("/")));
    }
    assertEquals(0, limiter.snapshot().open());
    assertEquals(1, limiter.snapshot().lost());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anInterceptorThatLeavesAResponseOpenLeavesNoPermitOpen(boolean inside) throws IOException {
    Interceptor twice =
        chain -> {
          chain.proceed(chain.request());
          return chain.proceed(chain.request());
        };
    try (var server = new RawServer((request, connection) -> connection.ok("hello"))) {
      OkHttpClient client = intercepted(twice, inside);
      assertThrows(IllegalStateException.class, () -> get(client, server.uri("/")));
      assertEquals(1, server.arrivals());
    }
    assertEquals(0, limiter.snapshot().open());
    assertEquals(0, limiter.snapshot().waiting());
  }

  private OkHttpClient intercepted(Interceptor interceptor, boolean inside) {
    var plain = new OkHttpClient();
    return inside
        ? paced(plain).build().newBuilder().addInterceptor(interceptor).build()
        : paced(plain.newBuilder().addInterceptor(interceptor).build()).build();
  }
}
