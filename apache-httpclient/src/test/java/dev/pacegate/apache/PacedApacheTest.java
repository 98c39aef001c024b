package dev.pacegate.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.NotSentException;
import dev.pacegate.adapter.tck.RawServer;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.ManualTime;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hc.client5.http.auth.AuthScope;
import org.apache.hc.client5.http.auth.UsernamePasswordCredentials;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.ChainElement;
import org.apache.hc.client5.http.impl.DefaultHttpRequestRetryStrategy;
import org.apache.hc.client5.http.impl.auth.BasicCredentialsProvider;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Each request to the peer takes one permit, whoever causes it. */
@org.junit.jupiter.api.Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class PacedApacheTest extends ApacheCases {

  private static final DefaultHttpRequestRetryStrategy TWICE =
      new DefaultHttpRequestRetryStrategy(2, TimeValue.ofMilliseconds(1));

  @Test
  void eachRedirectTakesAPermit() throws IOException {
    RawServer server =
        server(
            (request, connection) -> {
              if (request.path().equals("/3")) {
                connection.ok("hello");
              } else {
                int next = Integer.parseInt(request.path().substring(1)) + 1;
                connection.status(302, "Location: /" + next);
              }
            });
    assertEquals("hello", get(paced(), server.uri("/1")));
    assertPermits(3, server);
    assertEquals(0, limiter.snapshot().lost());
  }

  /**
   * Though its permit awaits the response that the function gets, until another request follows.
   */
  @Test
  void aRedirectFreesItsPlaceBeforeTheNextRequestWaits() throws IOException {
    RawServer server =
        server(
            (request, connection) -> {
              if (request.path().equals("/")) {
                connection.status(302, "Location: /end");
              } else {
                connection.ok("hello");
              }
            });
    PacedApache options =
        options()
            .limiter(Limiter.of("concurrent(1)"))
            .maxWait(Duration.ofMillis(100))
            .settle((response, cost) -> null);
    assertEquals("hello", get(paced(options), server.uri("/")));
  }

  @Test
  void eachRoundOfAuthenticationTakesAPermit() throws IOException {
    RawServer server =
        server(
            (request, connection) -> {
              if (request.headers().containsKey("authorization")) {
                connection.ok("hello");
              } else {
                connection.status(401, "WWW-Authenticate: Basic realm=\"a\"");
              }
            });
    assertEquals("hello", get(options(withPassword()).build(), server.uri("/")));
    assertPermits(2, server);
    assertEquals(0, limiter.snapshot().lost());
  }

  /** HttpClient drops the connection, and does not read the body. */
  @Test
  void aChallengeOnAConnectionThatIsNotKeptEndsItsPermit() throws IOException {
    for (String body : List.of("", "no")) {
      RawServer server =
          server(
              (request, connection) -> {
                if (request.headers().containsKey("authorization")) {
                  connection.ok("hello");
                } else {
                  connection.write(
                      "HTTP/1.1 401 X\r\nWWW-Authenticate: Basic realm=\"a\"\r\n"
                          + ("Connection: close\r\nContent-Length: " + body.length())
                          + ("\r\n\r\n" + body));
                }
              });
      assertEquals("hello", get(options(withPassword()).build(), server.uri("/")));
      assertEquals(2, server.arrivals());
      assertNothingLeft();
      assertEquals(body.isEmpty() ? 0 : 1, limiter.snapshot().lost());
    }
  }

  @Test
  void aHandlerThatThrowsAwayTheResponseLeavesNoPermitOpen() throws IOException {
    RawServer server = server((request, connection) -> connection.ok("hello"));
    var client =
        options(
                plain()
                    .addExecInterceptorBefore(
                        ChainElement.REDIRECT.name(),
                        "broken",
                        (request, scope, chain) -> {
                          chain.proceed(request, scope);
                          throw new IllegalStateException("broken");
                        }))
            .build();
    assertThrows(IllegalStateException.class, () -> get(client, server.uri("/")));
    assertNothingLeft();
  }

  /** Bound, so that no other process takes it, but not listening. */
  private int refusingPort() throws IOException {
    var bound = new Socket();
    toClose.add(bound);
    bound.bind(new InetSocketAddress("localhost", 0));
    return bound.getLocalPort();
  }

  private HttpClientBuilder withPassword() {
    var passwords = new BasicCredentialsProvider();
    passwords.setCredentials(
        new AuthScope(null, -1), new UsernamePasswordCredentials("me", "x".toCharArray()));
    return plain().setDefaultCredentialsProvider(passwords);
  }

  @Test
  void eachRetryOfAStatusTakesAPermit() throws IOException {
    var left = new AtomicInteger(2);
    RawServer server =
        server(
            (request, connection) -> {
              if (left.getAndDecrement() > 0) {
                connection.status(503);
              } else {
                connection.ok("hello");
              }
            });
    var client = options(plain().setRetryStrategy(TWICE)).build();
    assertEquals("hello", get(client, server.uri("/")));
    assertPermits(3, server);
  }

  @Test
  void eachRetryOfABrokenConnectionTakesAPermit() throws IOException {
    RawServer server = server((request, connection) -> connection.close());
    var client = options(plain().setRetryStrategy(TWICE)).build();
    assertThrows(IOException.class, () -> get(client, server.uri("/")));
    assertPermits(3, server);
    assertEquals(3, limiter.snapshot().lost());
  }

  @Test
  void aHandlerThatRepeatsTakesAPermitForEach() throws IOException {
    RawServer server = server((request, connection) -> connection.ok(""));
    var client =
        options(
                plain()
                    .addExecInterceptorLast(
                        "twice",
                        (request, scope, chain) -> {
                          var headers = request.getHeaders();
                          chain.proceed(request, scope);
                          request.setHeaders(headers);
                          return chain.proceed(request, scope);
                        }))
            .build();
    get(client, server.uri("/"));
    assertPermits(2, server);
  }

  @Test
  void aRequestWithoutPermitIsNotRetried() throws IOException {
    RawServer server = server((request, connection) -> connection.ok("hello"));
    limiter.pause();
    var asked = new AtomicInteger();
    PacedApache options =
        options(plain().setRetryStrategy(TWICE))
            .maxWait(Duration.ZERO)
            .cost(
                request -> {
                  asked.incrementAndGet();
                  return Cost.ONE;
                });
    CloseableHttpClient client = options.build();
    var thrown = assertThrows(NotSentException.class, () -> get(client, server.uri("/")));
    assertEquals("not sent: no permit within 0s: paused until resumed", thrown.getMessage());
    assertEquals(1, asked.get());
    assertPermits(0, server);
  }

  @Test
  void aRequestWithoutConnectionGivesItsPermitBack() throws IOException {
    URI uri = URI.create("http://localhost:" + refusingPort() + "/");
    Limiter two = Limiter.of("peer(2/1h)");
    CloseableHttpClient client = paced(options().limiter(two).maxWait(Duration.ZERO));
    for (int i = 0; i < 5; i++) {
      assertThrows(ConnectException.class, () -> get(client, uri));
    }
    assertEquals(0, two.snapshot().open());
    assertEquals(0, two.snapshot().lost());
  }

  @Test
  void aRequestThatGetsNoConnectionFromThePoolGivesItsPermitBack() throws Exception {
    RawServer server = server((request, connection) -> connection.ok("hello"));
    pool.setMaxTotal(1);
    CloseableHttpClient client = paced();
    var first = client.executeOpen(null, new HttpGet(server.uri("/")), null);
    var second = new HttpGet(server.uri("/"));
    second.setConfig(
        RequestConfig.custom().setConnectionRequestTimeout(Timeout.ofMilliseconds(1)).build());
    assertThrows(IOException.class, () -> client.execute(second, response -> ""));
    assertEquals(1, limiter.snapshot().open());
    first.close();
    assertEquals(0, limiter.snapshot().lost());
    assertNothingLeft();
  }

  @Test
  void aRequestThatTimesOutIsLost() throws IOException {
    RawServer server = server((request, connection) -> {});
    var client =
        options(
                plain()
                    .setDefaultRequestConfig(
                        RequestConfig.custom()
                            .setResponseTimeout(Timeout.ofMilliseconds(20))
                            .build()))
            .build();
    assertThrows(SocketTimeoutException.class, () -> get(client, server.uri("/")));
    until(() -> server.arrivals() == 1); // however slow the server is
    assertPermits(1, server);
    assertEquals(1, limiter.snapshot().lost());
  }

  @Test
  void aProxyThatRefusesATunnelTakesNoPermit() throws IOException {
    RawServer proxy = server((request, connection) -> connection.status(403));
    Limiter one = Limiter.of("peer(1/1h)");
    var client =
        options(plain().setProxy(new HttpHost("localhost", proxy.uri("/").getPort())))
            .limiter(one)
            .maxWait(Duration.ZERO)
            .build();
    for (int i = 0; i < 3; i++) {
      var request = new HttpGet("https://example.invalid/");
      assertEquals(403, client.execute(request, response -> response.getCode()).intValue());
    }
    assertEquals("CONNECT", proxy.requests().get(2).method());
    assertEquals(0, one.snapshot().open());
    assertNothingLeft();
  }

  /** A limit of starts counts a request when it is sent, not when it began to connect. */
  @Test
  void aRequestIsReportedWhenItIsSent() throws IOException {
    RawServer server = server((request, connection) -> connection.ok("hello"));
    ManualTime time = ManualTime.manual();
    Limiter starts = Limiter.builder("starts(10/1s)").time(time).late(Duration.ofMillis(5)).build();
    var client =
        options(
                plain()
                    .addExecInterceptorAfter(
                        ChainElement.CONNECT.name(),
                        "slow",
                        (request, scope, chain) -> {
                          time.advance(Duration.ofMillis(10));
                          return chain.proceed(request, scope);
                        }))
            .limiter(starts)
            .build();
    get(client, server.uri("/"));
    assertEquals(1, starts.snapshot().late());
  }

  @Test
  void theHostBehindAProxyIsLimited() throws IOException {
    RawServer proxy =
        server(
            (request, connection) -> {
              if (request.number() == 1) {
                connection.status(429);
              } else {
                connection.ok(request.path());
              }
            });
    var throughProxy = plain().setProxy(new HttpHost("localhost", proxy.uri("/").getPort()));
    CloseableHttpClient client =
        PacedApache.builder(throughProxy).limit("100/1h").retryRefused(1).build();
    var uri = URI.create("http://example.invalid:81/a");
    assertEquals("http://example.invalid:81/a", get(client, uri));
    var pacing = PacedApache.pacing(client);
    assertEquals(2, pacing.limiters().limiter("example.invalid:81").snapshot().granted());
    assertEquals(2, pacing.limiter(new HttpGet(uri)).snapshot().granted());
  }

  @Test
  void aClientIsPacedByOneBuilder() throws IOException {
    PacedApache builder = PacedApache.builder().limit("10/1m");
    builder.build().close();
    var thrown = assertThrows(IllegalStateException.class, builder::build);
    assertEquals(
        "this builder has built a client: begin another with an HttpClientBuilder of its own",
        thrown.getMessage());
  }

  @Test
  void aClientThatIsNotPacedHasNoPacing() throws IOException {
    try (var client = HttpClients.createDefault()) {
      var thrown = assertThrows(IllegalArgumentException.class, () -> PacedApache.pacing(client));
      assertEquals(
          "this client is not paced: build it by PacedApache.builder(client)", thrown.getMessage());
    }
  }

  /** Each is asked where it is in the chain. */
  @Test
  void aClientOfTwoLimitersHeedsBoth() throws IOException {
    RawServer server =
        server(
            (request, connection) -> {
              if (request.path().equals("/")) {
                connection.status(302, "Location: /end");
              } else {
                connection.ok("hello");
              }
            });
    Limiter account = Limiter.of("peer(1000/1h)");
    HttpClientBuilder both = plain();
    PacedApache.builder(both).limiter(account).build();
    assertEquals("hello", get(options(both).build(), server.uri("/")));
    assertPermits(2, server);
    assertEquals(2, account.snapshot().granted());
    assertEquals(0, account.snapshot().open());
  }

  /** The place of the first request is free again when the second one waits. */
  @Test
  void aHandlerThatRepeatsFreesItsPlaceBeforeItWaits() throws IOException {
    RawServer server = server((request, connection) -> connection.ok(""));
    Limiter one = Limiter.of("concurrent(1)");
    var client =
        options(
                plain()
                    .addExecInterceptorLast(
                        "twice",
                        (request, scope, chain) -> {
                          var headers = request.getHeaders();
                          chain.proceed(request, scope);
                          request.setHeaders(headers);
                          return chain.proceed(request, scope);
                        }))
            .limiter(one)
            .maxWait(Duration.ZERO)
            .settle((response, cost) -> null) // so that each permit awaits the response
            .build();
    get(client, server.uri("/"));
    assertEquals(2, one.snapshot().granted());
    assertEquals(0, one.snapshot().open());
  }

  @Test
  void aFunctionThatThrowsForARequestInTheMiddleLeavesNothingOpen() throws IOException {
    RawServer server = server((request, connection) -> connection.status(302, "Location: /end"));
    CloseableHttpClient client =
        paced(
            options()
                .cost(
                    request -> {
                      if (request.getPath().equals("/end")) {
                        throw new IllegalStateException("cost");
                      }
                      return Cost.ONE;
                    }));
    assertThrows(IllegalStateException.class, () -> get(client, server.uri("/")));
    assertPermits(1, server);
    assertEquals(0, limiter.snapshot().lost());
  }

  @Test
  void aClosedLimiterSendsNothing() throws IOException {
    RawServer server = server((request, connection) -> connection.ok("hello"));
    CloseableHttpClient client = paced();
    limiter.close();
    assertThrows(NotSentException.class, () -> get(client, server.uri("/")));
    assertPermits(0, server);
  }
}
