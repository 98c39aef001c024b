package dev.pacegate.compatibility;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import io.vertx.core.Vertx;
import io.vertx.ext.web.client.WebClient;
import java.io.IOException;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.eclipse.jetty.client.BasicAuthentication;
import org.eclipse.jetty.client.CompletableResponseListener;
import org.eclipse.jetty.client.HttpClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The recipes for Jetty's client and the web client of Vert.x, before a server that counts. */
@Timeout(120)
class AsyncRecipesTest {

  private record Reply(int status, String location) {}

  /** The clients, each as the recipe sends, and with a permit around a whole call. */
  private enum Client {
    JETTY {
      @Override
      CompletableFuture<Reply> send(Limiter api, URI uri) {
        return new JettyRecipe(api)
            .send(jetty.newRequest(uri))
            .thenApply(r -> new Reply(r.getStatus(), r.getHeaders().get("Location")));
      }

      @Override
      CompletableFuture<Integer> permitAround(Limiter api, URI uri) {
        return api.callAsync(
            () ->
                new CompletableResponseListener(jetty.newRequest(uri))
                    .send()
                    .thenApply(r -> r.getStatus()));
      }
    },

    VERTX {
      @Override
      CompletableFuture<Reply> send(Limiter api, URI uri) {
        return new VertxRecipe(vertx, api)
            .send(web.getAbs(uri.toString()))
            .map(r -> new Reply(r.statusCode(), r.getHeader("Location")))
            .toCompletionStage()
            .toCompletableFuture();
      }

      @Override
      CompletableFuture<Integer> permitAround(Limiter api, URI uri) {
        return api.callAsync(
            () -> web.getAbs(uri.toString()).send().map(r -> r.statusCode()).toCompletionStage());
      }
    };

    abstract CompletableFuture<Reply> send(Limiter api, URI uri);

    abstract CompletableFuture<Integer> permitAround(Limiter api, URI uri);

    /** As a user of the recipe follows redirects. */
    CompletableFuture<Reply> follow(Limiter api, URI uri) {
      return send(api, uri)
          .thenCompose(
              reply ->
                  reply.status() == 302
                      ? follow(api, URI.create(reply.location()))
                      : CompletableFuture.completedFuture(reply));
    }
  }

  private static HttpClient jetty;
  private static Vertx vertx;
  private static WebClient web;

  private CountingServer server;

  @BeforeAll
  static void startClients() throws Exception {
    jetty = new HttpClient();
    jetty.start();
    vertx = Vertx.vertx();
    web = WebClient.create(vertx);
  }

  @AfterAll
  static void stopClients() throws Exception {
    jetty.stop();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  @BeforeEach
  void start() throws IOException {
    server = new CountingServer();
  }

  @AfterEach
  void stop() {
    server.close();
    jetty.getAuthenticationStore().clearAuthentications();
    jetty.getAuthenticationStore().clearAuthenticationResults();
  }

  private static void assertNothingLeft(Limiter api) {
    assertEquals(0, api.snapshot().open());
    assertEquals(0, api.snapshot().waiting());
    assertEquals(0, api.snapshot().lost());
  }

  @ParameterizedTest
  @EnumSource
  void eachRedirectKeepsTheLimitUnderLoad(Client client) throws Exception {
    Limiter api = Limiter.of("peer(10/100ms)");
    var calls = Stream.generate(() -> client.follow(api, server.uri("/2"))).limit(40).toList();
    for (CompletableFuture<Reply> call : calls) {
      assertEquals(204, call.get().status());
    }
    assertEquals(120, server.arrivals());
    assertTrue(server.report("10/100ms").kept(), server.report("10/100ms")::text);
    assertEquals(120, api.snapshot().granted());
    assertNothingLeft(api);
  }

  /** The reason why the recipe turns redirects off. */
  @ParameterizedTest
  @EnumSource
  void aPermitAroundTheCallExceedsTheLimit(Client client) throws Exception {
    Limiter api = Limiter.of("peer(10/1d)");
    for (int i = 0; i < 10; i++) {
      assertEquals(204, client.permitAround(api, server.uri("/2")).get());
    }
    assertEquals(30, server.arrivals());
    assertFalse(server.report("10/1d").kept());
  }

  @ParameterizedTest
  @EnumSource
  void aRefusalPausesAllCallers(Client client) throws Exception {
    Limiter api = Limiter.of("peer(10/1d)");
    assertEquals(429, client.send(api, server.uri("/429")).get().status());
    assertEquals(1, api.snapshot().refusedByPeer());
    assertTrue(api.tryAcquire().isEmpty());
    assertNothingLeft(api);
  }

  @ParameterizedTest
  @EnumSource
  void aRequestThatIsNotSentGivesItsPermitBack(Client client) throws IOException {
    Limiter api = Limiter.of("peer(1/1d)");
    URI nowhere = URI.create("http://127.0.0.1:" + Ports.refusing() + "/");
    for (int i = 0; i < 3; i++) {
      assertThrows(ExecutionException.class, () -> client.send(api, nowhere).get());
    }
    assertNothingLeft(api);
  }

  @ParameterizedTest
  @EnumSource
  void aBrokenConnectionIsLost(Client client) throws IOException {
    Limiter api = Limiter.of("peer(1/1d)");
    try (var peer = new Peer()) {
      assertThrows(ExecutionException.class, () -> client.send(api, peer.uri("/cut")).get());
    }
    assertEquals(1, api.snapshot().lost());
    assertTrue(api.tryAcquire().isEmpty());
  }

  /** A 401 that Jetty answers itself is a second request with the same permit. */
  @Test
  void credentialsThatJettySendsAtOnceTakeOnePermit() throws Exception {
    Limiter api = Limiter.of("peer(10/1d)");
    URI uri = server.uri("/401");
    jetty
        .getAuthenticationStore()
        .addAuthentication(new BasicAuthentication(uri, "r", "user", "password"));
    assertEquals(204, Client.JETTY.send(api, uri).get().status());
    assertEquals(2, server.arrivals());
    assertEquals(1, api.snapshot().granted());

    jetty.getAuthenticationStore().clearAuthenticationResults();
    jetty
        .getAuthenticationStore()
        .addAuthenticationResult(new BasicAuthentication.BasicResult(uri, "user", "password"));
    assertEquals(204, Client.JETTY.send(api, uri).get().status());
    assertEquals(3, server.arrivals());
    assertEquals(2, api.snapshot().granted());
  }
}
