package dev.pacegate.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.tck.RawServer;
import dev.pacegate.adapter.tck.RawServer.ServerScript;
import dev.pacegate.feedback.Feedback;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.junit.jupiter.api.AfterEach;

/** A paced client under a limit that is never full, and servers for it. */
abstract class ApacheCases {

  /** Never full in these tests, and minds ends. */
  final Limiter limiter = Limiter.of("peer(1000000/1h)");

  final PoolingHttpClientConnectionManager pool = new PoolingHttpClientConnectionManager();
  final List<AutoCloseable> toClose = new ArrayList<>(List.of(pool));

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : toClose) {
      each.close();
    }
  }

  RawServer server(ServerScript script) throws IOException {
    var server = new RawServer(script);
    toClose.add(server);
    return server;
  }

  PacedApache options() {
    return options(plain());
  }

  PacedApache options(HttpClientBuilder client) {
    return PacedApache.builder(client)
        .limiter(limiter)
        .feedback(Feedback.standard().pause(Duration.ofMillis(20)));
  }

  HttpClientBuilder plain() {
    return HttpClients.custom().setConnectionManager(pool).setConnectionManagerShared(true);
  }

  CloseableHttpClient paced() {
    return paced(options());
  }

  CloseableHttpClient paced(PacedApache options) {
    return options.build();
  }

  static String get(CloseableHttpClient client, URI uri) throws IOException {
    return client.execute(
        new HttpGet(uri), response -> EntityUtils.toString(response.getEntity(), 100_000));
  }

  /** Each arrival had a permit, and none is left. */
  void assertPermits(int granted, RawServer server) {
    assertEquals(granted, server.arrivals());
    assertEquals(granted, limiter.snapshot().granted());
    assertNothingLeft();
  }

  void assertNothingLeft() {
    assertEquals(0, limiter.snapshot().open());
    assertEquals(0, limiter.snapshot().waiting());
    assertEquals(0, pool.getTotalStats().getLeased());
  }

  /** Waits for what another thread does. */
  static void until(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      Thread.onSpinWait();
    }
  }
}
