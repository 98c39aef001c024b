package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the proxy answers itself, and what it does not send. */
class RejectionTest {

  private static ProxyRig rig(String limit) {
    return new ProxyRig(limit, exchange -> ProxyRig.answer(exchange, 200, "ok"));
  }

  @Test
  void aWaitThatIsTooLongIsRefusedAtOnceWithItsLength() throws Exception {
    try (var rig = rig("starts(1/1m)")) {
      assertEquals(200, rig.get("/").statusCode());
      HttpResponse<String> refused = rig.get("/");
      assertEquals(429, refused.statusCode());
      long seconds = Long.parseLong(refused.headers().firstValue("Retry-After").orElseThrow());
      assertTrue(seconds > 30 && seconds <= 60, () -> "after " + seconds);
      assertTrue(
          refused.body().startsWith("pacegate: not sent: no permit within 25s"), refused::body);
      assertEquals(1, rig.arrived.get());
      ProxyRig.eventually(() -> rig.log.size() == 1);
      rig.atRest();
    }
  }

  @Test
  void theClientBoundsItsOwnWait() throws Exception {
    try (var rig = rig("starts(1/10s)")) {
      assertEquals(200, rig.get("/").statusCode());
      var request = HttpRequest.newBuilder(rig.uri("/")).header("Pacegate-Max-Wait", "1s");
      assertEquals(429, rig.send(request).statusCode());
      var senseless = HttpRequest.newBuilder(rig.uri("/")).header("Pacegate-Max-Wait", "soon");
      assertEquals(400, rig.send(senseless).statusCode());
      rig.atRest();
    }
  }

  @Test
  void aFullQueueRefuses() throws Exception {
    try (var rig =
        new ProxyRig(
            Limiter.builder("starts(1/20s)").maxWaiting(1).build(),
            exchange -> ProxyRig.answer(exchange, 200, "ok"),
            options -> options.maxWait(Duration.ofMinutes(1)))) {
      assertEquals(200, rig.get("/").statusCode());
      CompletableFuture<HttpResponse<String>> waits =
          rig.client.sendAsync(
              HttpRequest.newBuilder(rig.uri("/")).build(), BodyHandlers.ofString());
      ProxyRig.eventually(() -> rig.limiter.snapshot().waiting() == 1);
      HttpResponse<String> refused = rig.get("/");
      assertEquals(429, refused.statusCode());
      assertEquals("pacegate: not sent: too many requests wait\n", refused.body());
      String later = refused.headers().firstValue("Retry-After").orElseThrow();
      String line =
          "GET from 127.0.0.1 refused: 429 not sent: too many requests wait; Retry-After: " + later;
      ProxyRig.eventually(() -> rig.log.contains(line));
      waits.cancel(true);
      rig.atRest();
      assertEquals(1, rig.arrived.get());
    }
  }

  @Test
  void oneClientHasOnlySoManyWaits() throws Exception {
    try (var rig =
        new ProxyRig(
            Limiter.of("starts(1/20s)"),
            exchange -> ProxyRig.answer(exchange, 200, "ok"),
            options -> options.maxWaitingPerClient(1))) {
      assertEquals(200, rig.get("/").statusCode());
      try (Socket first = rig.connect()) {
        first
            .getOutputStream()
            .write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        ProxyRig.eventually(() -> rig.limiter.snapshot().waiting() == 1);
        assertEquals(429, rig.get("/").statusCode());
      }
      rig.atRest();
      assertEquals(1, rig.arrived.get());
    }
  }

  /** Also with a body of which only a part has come, up to what is read ahead. */
  @ParameterizedTest
  @CsvSource({"GET, 0, 0", "POST, 10, 10", "POST, 60000, 60000", "POST, 70000, 65536"})
  void aClientThatHasGoneLeavesTheQueue(String method, int length, int sent) throws Exception {
    try (var rig =
        new ProxyRig(
            Limiter.of("starts(1/1m)"),
            exchange -> ProxyRig.answer(exchange, 200, "ok"),
            options -> options.maxWait(Duration.ofMinutes(2)))) {
      assertEquals(200, rig.get("/").statusCode());
      try (Socket socket = rig.connect()) {
        String head =
            method + " /gone HTTP/1.1\r\nHost: x\r\nContent-Length: " + length + "\r\n\r\n";
        socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().write(new byte[sent]);
        ProxyRig.eventually(() -> rig.limiter.snapshot().waiting() == 1);
      }
      rig.atRest();
      assertEquals(1, rig.arrived.get());
    }
  }

  @Test
  void continueIsHeldUntilThePermit() throws Exception {
    try (var rig = rig("100/1s")) {
      rig.limiter.pauseFor(Duration.ofSeconds(20));
      try (Socket socket = rig.connect()) {
        write(socket, EXPECTING);
        ProxyRig.eventually(() -> rig.limiter.snapshot().waiting() == 1);
        assertEquals(0, socket.getInputStream().available());
        rig.limiter.resume();
        assertEquals("HTTP/1.1 100 Continue", line(socket));
        write(socket, "body");
        assertEquals("", line(socket));
        assertEquals("HTTP/1.1 200 OK", line(socket));
      }
      rig.atRest();
    }
  }

  /** The client need not send the body now, so where a further request begins is unknown. */
  @Test
  void aRefusalInsteadOfContinueEndsTheConnection() throws Exception {
    try (var rig = rig("starts(1/1m)")) {
      assertEquals(200, rig.get("/").statusCode());
      String answer = rig.raw(EXPECTING);
      assertTrue(answer.startsWith("HTTP/1.1 429 "), answer);
      assertTrue(answer.toLowerCase(Locale.ROOT).contains("\r\nconnection: close\r\n"), answer);
      rig.atRest();
    }
  }

  @Test
  void aRefusalInMidBodyEndsTheConnectionAfterTheBody() throws Exception {
    try (var rig = rig("starts(1/1m)")) {
      assertEquals(200, rig.get("/").statusCode());
      String head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n";
      String answer = rig.raw(head + "b".repeat(200_000));
      assertTrue(answer.startsWith("HTTP/1.1 429 "), answer);
      assertTrue(answer.toLowerCase(Locale.ROOT).contains("\r\nconnection: close\r\n"), answer);
      rig.atRest();
    }
  }

  /** A body that was read whole is held no longer than its request. */
  @ParameterizedTest
  @ValueSource(strings = {"HTTP/1.1", "HTTP/2"})
  void aWholeBodyOfARefusedRequestIsGivenBack(String version) throws Exception {
    try (var rig = rig("starts(1/1m)");
        var wire = new H2Wire(rig)) {
      assertEquals(200, rig.get("/").statusCode());
      if (version.equals("HTTP/2")) {
        wire.post(1, "/");
        wire.data(1, true, new byte[1000]);
        assertEquals("429", wire.outcome(1));
      } else {
        var body = HttpRequest.BodyPublishers.ofByteArray(new byte[1000]);
        assertEquals(429, rig.send(HttpRequest.newBuilder(rig.uri("/")).POST(body)).statusCode());
      }
      rig.atRest();
    }
  }

  @Test
  void aWholeBodyIsGivenBackIfTheUpstreamCannotBeReached() throws Exception {
    var closed = new ServerSocket(0);
    closed.close();
    try (var rig = new ProxyRig(Limiter.of("100/1s"), closed.getLocalPort(), options -> options)) {
      var body = HttpRequest.BodyPublishers.ofByteArray(new byte[1000]);
      assertEquals(502, rig.send(HttpRequest.newBuilder(rig.uri("/")).POST(body)).statusCode());
      rig.atRest();
    }
  }

  @Test
  void aClosedLimiterIsNo429() throws Exception {
    try (var rig = rig("100/1s")) {
      rig.limiter.close();
      HttpResponse<String> refused = rig.get("/");
      assertEquals(503, refused.statusCode());
      assertTrue(refused.headers().firstValue("Retry-After").isEmpty());
    }
  }

  @Test
  void theBuilderBoundsTheQueueToo() throws Exception {
    try (var rig =
        new ProxyRig(
            Limiter.of("100/1s"),
            exchange -> ProxyRig.answer(exchange, 200, "ok"),
            options -> options.maxWaiting(1))) {
      rig.limiter.pauseFor(Duration.ofSeconds(20));
      try (Socket first = rig.connect()) {
        write(first, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        ProxyRig.eventually(() -> rig.limiter.snapshot().waiting() == 1);
        HttpResponse<String> refused = rig.get("/");
        assertEquals(429, refused.statusCode());
        assertTrue(refused.headers().firstValue("Retry-After").isPresent());
      }
      rig.atRest();
      rig.limiter.resume();
      assertEquals(200, rig.get("/").statusCode());
    }
  }

  private static final String EXPECTING =
      "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n";

  private static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static String line(Socket socket) throws IOException {
    var line = new StringBuilder();
    for (int c = socket.getInputStream().read();
        c >= 0 && c != '\n';
        c = socket.getInputStream().read()) {
      line.append((char) c);
    }
    return line.toString().strip();
  }

  /** What was sent may have been counted: it is lost. What was not is given back. */
  @ParameterizedTest
  @CsvSource({"false, 502, 0", "true, 502, 1"})
  void anUpstreamThatFailsIsA502(boolean accepts, int status, int lost) throws Exception {
    try (var server = new ServerSocket(0)) {
      int port = server.getLocalPort();
      if (accepts) {
        Thread closer = new Thread(() -> closeAll(server));
        closer.setDaemon(true);
        closer.start();
      } else {
        server.close();
      }
      try (var rig = new ProxyRig(Limiter.of("peer(5/1s)"), port, options -> options)) {
        assertEquals(status, rig.get("/").statusCode());
        ProxyRig.eventually(() -> rig.proxy.open() == 0);
        assertEquals(lost, rig.limiter.snapshot().lost());
        assertEquals(0, rig.limiter.snapshot().waiting());
      }
    }
  }

  private static void closeAll(ServerSocket server) {
    while (!server.isClosed()) {
      try (Socket socket = server.accept()) {
        assertTrue(socket.getInputStream().read() >= 0);
      } catch (IOException closed) {
        return;
      }
    }
  }
}
