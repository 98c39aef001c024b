package dev.pacegate.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerVerdict;
import dev.pacegate.adapter.Answered;
import dev.pacegate.adapter.tck.H2Server;
import dev.pacegate.adapter.tck.RawServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The permit ends with the body, and the user's functions read what the caller would. */
class BodiesTest extends OkHttpCases {

  @Test
  void thePermitIsOpenUntilTheBodyIsRead() throws IOException {
    try (var server = new RawServer((request, connection) -> connection.ok("hello"))) {
      Response response = call(paced(), server.uri("/")).execute();
      assertEquals(1, limiter.snapshot().open());
      assertEquals("hello", response.body().string());
    }
    assertPermits(1);
  }

  @Test
  void thePermitMayEndWithTheHeaders() throws IOException {
    try (var server = new RawServer((request, connection) -> connection.ok("hello"))) {
      Response response = call(paced().answered(Answered.HEADERS), server.uri("/")).execute();
      assertEquals(0, limiter.snapshot().open());
      response.close();
    }
    assertPermits(1);
  }

  @Test
  void aBodyThatIsClosedUnreadKeepsItsConnection() throws IOException {
    OkHttpClient client = paced().build();
    try (var server = new RawServer((request, connection) -> connection.ok("hello"))) {
      for (int i = 1; i <= 3; i++) {
        client.newCall(request(server.uri("/"))).execute().close();
        assertEquals(i, server.requests().get(i - 1).number());
      }
    }
    assertPermits(3);
  }

  /** A stream of events: no time-out of reads, and nothing comes for a while. */
  @Test
  void aBodyWithoutEndIsClosedSoonAndLost() throws IOException {
    var client = new OkHttpClient.Builder().readTimeout(Duration.ZERO).build();
    try (var server =
        new RawServer(
            (request, connection) -> {
              connection.write("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf");
              connection.socket().getInputStream().read(); // until the client closes
            })) {
      call(paced(client), server.uri("/")).execute().close();
    }
    assertEquals(0, limiter.snapshot().open());
    assertEquals(1, limiter.snapshot().lost());
  }

  @Test
  void aStreamOfHttp2WithoutEndIsClosedSoonAndLost() throws IOException {
    OkHttpClient client = PermitsTest.h2().newBuilder().readTimeout(Duration.ZERO).build();
    try (var server = new H2Server((arrival, stream) -> stream.half())) {
      call(paced(client), server.uri("/")).execute().close();
    }
    assertEquals(0, limiter.snapshot().open());
    assertEquals(1, limiter.snapshot().lost());
  }

  @Test
  void aBodyThatBreaksOffIsLost() throws IOException {
    try (var server =
        new RawServer(
            (request, connection) -> {
              connection.write("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf");
              connection.close();
            })) {
      Response response = call(paced(), server.uri("/")).execute();
      assertThrows(IOException.class, () -> response.body().source().readUtf8());
      assertEquals(0, limiter.snapshot().open()); // before it is closed
      response.close();
    }
    assertEquals(1, limiter.snapshot().lost());
  }

  @Test
  void theFunctionsReadTheUnpackedBody() throws IOException {
    var read = new ArrayList<String>();
    PacedOkHttp options = paced().refused(response -> judged(response, read));
    try (var server = new RawServer((request, connection) -> packed(connection, "full"))) {
      assertEquals("full", get(options, server.uri("/")));
    }
    assertEquals(List.of("full"), read);
    assertEquals(1, limiter.snapshot().refusedByPeer());
    assertPermits(1);
  }

  private static PeerAnswer judged(Response response, List<String> read) {
    try {
      read.add(response.peekBody(1_000).string());
      return PeerAnswer.of(PeerVerdict.REFUSED);
    } catch (IOException broken) {
      return PeerAnswer.NOTHING;
    }
  }

  private static void packed(RawServer.Connection connection, String text) throws IOException {
    var packed = new ByteArrayOutputStream();
    try (var pack = new GZIPOutputStream(packed)) {
      pack.write(text.getBytes(StandardCharsets.US_ASCII));
    }
    connection.write(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s"
            .formatted(packed.size(), packed.toString(StandardCharsets.ISO_8859_1)));
  }

  /** If there is a function of refused, the choice is made when that has read the response. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFunctionThatThrowsLeavesNoConnectionOpen(boolean judged) throws IOException {
    PacedOkHttp options =
        paced()
            .retryRefused(
                1,
                request -> {
                  throw new IllegalStateException("choice");
                });
    OkHttpClient client = (judged ? options.refused(response -> null) : options).build();
    try (var server =
        new RawServer(
            (request, connection) ->
                connection.write("HTTP/1.1 429 X\r\nContent-Length: 5\r\n\r\nlater"))) {
      assertThrows(IllegalStateException.class, () -> get(client, server.uri("/")));
    }
    assertPermits(1);
    ConnectionPool pool = client.connectionPool();
    assertEquals(pool.idleConnectionCount(), pool.connectionCount());
  }

  @Test
  void aConnectionThatIsUpgradedHoldsNoPermit() throws IOException {
    try (var server = new RawServer((request, connection) -> upgrade(connection))) {
      var asks =
          request(server.uri("/"))
              .newBuilder()
              .header("Connection", "upgrade")
              .header("Upgrade", "other")
              .build();
      Response response = paced().build().newCall(asks).execute();
      assertEquals(101, response.code());
      assertEquals(0, limiter.snapshot().open());
      response.close();
    }
    assertPermits(1);
  }

  private static void upgrade(RawServer.Connection connection) throws IOException {
    connection.write(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n");
  }

  /** OkHttp needs nothing closed there, so callers do not. */
  @Test
  void aResponseWithoutBodyEndsThePermitUnclosed() throws IOException {
    OkHttpClient client = paced().build();
    try (var server =
        new RawServer(
            (request, connection) ->
                connection.write(
                    request.method().equals("HEAD")
                        ? "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
                        : "HTTP/1.1 204 No Content\r\n\r\n"))) {
      assertEquals(204, client.newCall(request(server.uri("/"))).execute().code());
      assertPermits(1);
      var head = request(server.uri("/")).newBuilder().head().build();
      assertEquals(200, client.newCall(head).execute().code());
    }
    assertPermits(2);
  }

  @Test
  void aBodyReadToItsStatedLengthEndsThePermit() throws IOException {
    try (var server = new RawServer((request, connection) -> connection.ok("hello"))) {
      Response response = call(paced(), server.uri("/")).execute();
      assertEquals("hello", response.body().source().readUtf8(5));
      assertPermits(1);
      response.close();
    }
  }

  /** Closing a body sets a deadline for its rest. */
  @Test
  void theNextResponseOnAConnectionMayTakeLonger() throws IOException {
    OkHttpClient client = paced().build();
    try (var server =
        new RawServer(
            (request, connection) -> {
              if (request.number() == 2) {
                TimeUnit.MILLISECONDS.sleep(1_100);
              }
              connection.ok("hello");
            })) {
      client.newCall(request(server.uri("/"))).execute().close();
      assertEquals("hello", get(client, server.uri("/")));
      assertEquals(2, server.requests().get(1).number());
    }
    assertPermits(2);
  }
}
