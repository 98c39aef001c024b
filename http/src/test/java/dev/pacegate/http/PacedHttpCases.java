package dev.pacegate.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.tck.RawServer;
import dev.pacegate.adapter.tck.RawServer.ServerScript;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** A paced client under a limit that is never full, and servers for it. */
abstract class PacedHttpCases {

  /** Never full in these tests, and minds ends. */
  final Limiter limiter = Limiter.of("peer(1000000/1h)");

  final List<AutoCloseable> toClose = new ArrayList<>();

  /** The first request loads classes, which may take longer than the time-out of a test. */
  @BeforeAll
  static void loadClasses() throws Exception {
    try (var server = new RawServer((request, connection) -> connection.ok("hello"))) {
      PacedHttpClient client = paced(Limiter.of("unlimited"));
      send(client, get(server.uri("/")));
      client.sendAsync(post(server.uri("/"), "x"), BodyHandlers.ofString()).get();
    }
  }

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

  static HttpClient.Builder plain() {
    return HttpClient.newBuilder().version(Version.HTTP_1_1);
  }

  PacedHttpClient paced() {
    return paced(limiter);
  }

  static PacedHttpClient paced(Limiter limiter) {
    return PacedHttpClient.builder(plain()).limiter(limiter).build();
  }

  static HttpRequest get(URI uri) {
    return HttpRequest.newBuilder(uri).build();
  }

  static HttpRequest post(URI uri, String body) {
    return HttpRequest.newBuilder(uri).POST(BodyPublishers.ofString(body)).build();
  }

  static HttpResponse<String> send(HttpClient client, HttpRequest request)
      throws IOException, InterruptedException {
    return client.send(request, BodyHandlers.ofString());
  }

  /** Waits for what another thread does; that of the client ends a permit after the answer. */
  static void until(BooleanSupplier condition) throws InterruptedException {
    for (int i = 0; i < 2_000 && !condition.getAsBoolean(); i++) {
      Thread.sleep(5); // polls
    }
    assertTrue(condition.getAsBoolean());
  }

  static void untilQuiet(Limiter limiter) throws InterruptedException {
    until(() -> limiter.snapshot().open() == 0 && limiter.snapshot().waiting() == 0);
  }

  void assertGranted(int granted) throws InterruptedException {
    untilQuiet(limiter);
    assertEquals(granted, limiter.snapshot().granted());
  }
}
