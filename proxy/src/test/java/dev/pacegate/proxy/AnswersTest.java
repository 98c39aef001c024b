package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers that are no plain ones. */
class AnswersTest {

  private static ProxyRig before(RawUpstream upstream) {
    return new ProxyRig(Limiter.of("peer(100/1s)"), upstream.port(), options -> options);
  }

  /** HTTP/1.0 has no chunks: there the body ends with the connection. */
  @ParameterizedTest
  @ValueSource(strings = {"", "Connection: keep-alive\r\n"})
  void aClientOfHttp10GetsAChunkedAnswer(String header) throws Exception {
    try (var rig =
        new ProxyRig(
            "10/1s",
            exchange -> {
              exchange.sendResponseHeaders(200, 0);
              exchange.getResponseBody().write("ab".getBytes(StandardCharsets.US_ASCII));
              exchange.close();
            })) {
      String answer = rig.raw("GET / HTTP/1.0\r\n" + header + "\r\n");
      assertTrue(answer.startsWith("HTTP/1.0 200 "), answer);
      assertTrue(answer.endsWith("\r\n\r\nab"), answer);
      assertFalse(answer.contains("chunked"), answer);
      rig.atRest();
    }
  }

  /** What is left of the first upload must never be read as a part of the second request. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anAnswerBeforeTheEndOfTheUploadCostsTheConnection(boolean clientGoes) throws Exception {
    try (var upstream =
            new RawUpstream(
                wire -> {
                  wire.readHead();
                  wire.write("HTTP/1.1 401 No\r\nContent-Length: 2\r\n\r\nno");
                  wire.drain();
                });
        var rig = before(upstream);
        Socket first = rig.connect()) {
      String head = "POST /first HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n";
      first.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      first.getOutputStream().write(new byte[70_000]);
      assertTrue(read(first, "\r\n\r\nno").startsWith("HTTP/1.1 401 "));
      if (clientGoes) {
        first.close();
      }
      ProxyRig.eventually(() -> upstream.ended.size() == 1);
      assertFalse(upstream.wires.get(0).text().contains("GET /next"));
      assertEquals(401, rig.get("/next").statusCode());
      assertEquals(2, upstream.wires.size());
      assertTrue(upstream.wires.get(1).text().startsWith("GET /next HTTP/1.1\r\n"));
      rig.atRest();
    }
  }

  private static String read(Socket socket, String end) throws Exception {
    var text = new StringBuilder();
    InputStream in = socket.getInputStream();
    while (text.indexOf(end) < 0) {
      int read = in.read();
      if (read < 0) {
        break;
      }
      text.append((char) read);
    }
    return text.toString();
  }

  @Test
  void aBreakInMidBodyReachesTheClientAndThePermitIsLost() throws Exception {
    try (var upstream =
            new RawUpstream(
                wire -> {
                  wire.readHead();
                  wire.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
                });
        var rig = before(upstream)) {
      String answer = rig.raw("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
      assertTrue(answer.contains("ontent-") && !answer.contains("pacegate"), answer);
      ProxyRig.eventually(() -> rig.limiter.snapshot().lost() == 1);
      ProxyRig.eventually(() -> rig.proxy.open() == 0);
    }
  }

  /** Chunked: without its last chunk the client sees that it is not whole. */
  @Test
  void aBreakAmongChunksIsNoEnd() throws Exception {
    try (var upstream =
            new RawUpstream(
                wire -> {
                  wire.readHead();
                  wire.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n");
                });
        var rig = before(upstream)) {
      String answer = rig.raw("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
      assertFalse(answer.contains("0\r\n\r\n"), answer);
      ProxyRig.eventually(() -> rig.limiter.snapshot().lost() == 1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"HEAD 200", "GET 204", "GET 304"})
  void answersWithoutABodyEnd(String request) throws Exception {
    String method = request.substring(0, request.indexOf(' '));
    String status = request.substring(request.indexOf(' ') + 1);
    try (var upstream =
            new RawUpstream(
                wire -> {
                  while (wire.readHead()) {
                    String length = status.equals("204") ? "" : "Content-Length: 7\r\n";
                    wire.write("HTTP/1.1 " + status + " X\r\nX-Own: 1\r\n" + length + "\r\n");
                    wire.seen().reset();
                  }
                });
        var rig = before(upstream)) {
      for (int i = 0; i < 2; i++) { // the connections stay in step
        HttpResponse<String> answer =
            rig.send(HttpRequest.newBuilder(rig.uri("/")).method(method, BodyPublishers.noBody()));
        assertEquals(status, "" + answer.statusCode());
        assertEquals("", answer.body());
        assertEquals("1", answer.headers().firstValue("X-Own").orElseThrow());
        assertEquals(
            status.equals("204") ? Optional.empty() : Optional.of("7"),
            answer.headers().firstValue("Content-Length"));
      }
      rig.atRest();
    }
  }

  @Test
  void eventsArriveAsTheyCome() throws Exception {
    var next = new Semaphore(1);
    var begin = new CountDownLatch(1);
    try (var rig =
        new ProxyRig(
            "10/1s",
            exchange -> {
              exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
              exchange.sendResponseHeaders(200, 0);
              exchange.getResponseBody().flush();
              PacedProxyTest.awaitQuietly(begin);
              for (int i = 0; i < 5; i++) {
                next.acquireUninterruptibly();
                exchange.getResponseBody().write(('0' + i));
                exchange.getResponseBody().flush();
              }
              exchange.close();
            })) {
      HttpResponse<InputStream> answer =
          rig.client.send(
              HttpRequest.newBuilder(rig.uri("/")).timeout(ProxyRig.PATIENCE).build(),
              BodyHandlers.ofInputStream());
      assertEquals(200, answer.statusCode()); // the head does not wait for the first event
      begin.countDown();
      for (int i = 0; i < 5; i++) {
        assertEquals('0' + i, answer.body().read());
        next.release();
      }
      assertEquals(-1, answer.body().read());
      rig.atRest();
    }
  }

  @Test
  void trailersOfAnswersPass() throws Exception {
    try (var upstream =
            new RawUpstream(
                wire -> {
                  wire.readHead();
                  wire.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
                  wire.write("2\r\nab\r\n0\r\nX-Sum: 7\r\n\r\n");
                  wire.drain();
                });
        var rig = before(upstream)) {
      String answer = rig.raw("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      assertTrue(answer.endsWith("\r\n0\r\nX-Sum: 7\r\n\r\n"), answer);
      rig.atRest();
    }
  }
}
