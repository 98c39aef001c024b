package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.adapter.tck.H2Server;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How requests to an upstream end. */
class UpstreamClientTest {

  /** Ours names the last stream of the upstream's, which has none: it says nothing of requests. */
  @Test
  void aBreakAfterAGoAwayOfOurOwnProvesNothing() throws Exception {
    var vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    var arrived = new CompletableFuture<H2Server.H2Stream>();
    try (var server = new H2Server((arrival, stream) -> arrived.complete(stream))) {
      var upstream = Upstream.of(URI.create("h2c://127.0.0.1:" + server.uri("/").getPort()));
      var client = UpstreamClient.create(vertx, upstream, ProxyRig.PATIENCE, options -> options);
      HttpClientRequest sent =
          client
              .request(upstream.request(HttpMethod.GET, "/"))
              .toCompletionStage()
              .toCompletableFuture()
              .join();
      var unprocessed = new CompletableFuture<Boolean>();
      sent.response()
          .onFailure(failure -> unprocessed.complete(client.isUnprocessed(sent, failure)));
      sent.end().toCompletionStage().toCompletableFuture().join();
      H2Server.H2Stream stream = arrived.join();
      var shut = new CompletableFuture<Void>();
      sent.connection().shutdownHandler(shut::complete);
      var unused = sent.connection().shutdown(1, TimeUnit.HOURS);
      shut.join(); // GOAWAY is sent
      stream.socket().close();
      assertEquals(false, unprocessed.join());
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }
}
