package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Clients that speak HTTP/2: a stream is what a connection is in HTTP/1.1. */
class Http2InTest {

  private static ProxyRig ok(String limit) {
    return new ProxyRig(limit, exchange -> ProxyRig.answer(exchange, 200, "ok"));
  }

  private static ProxyRig echo(String limit) {
    return new ProxyRig(
        limit,
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
  }

  @Test
  void requestsAndBodiesPass() throws Exception {
    try (var rig = echo("1000/1s");
        var wire = new H2Wire(rig)) {
      wire.get(1, "/a?b=c");
      assertEquals("200", wire.outcome(1));
      assertEquals("GET /a?b=c", rig.targets.poll());
      byte[] part = new byte[10_000];
      java.util.Arrays.fill(part, (byte) 7);
      wire.post(3, "/b", "content-length", "20000");
      wire.data(3, false, part);
      wire.data(3, true, part);
      wire.post(5, "/c"); // of unknown length
      wire.data(5, true, part);
      assertEquals("200", wire.outcome(3));
      assertEquals(20_000, wire.answer(3).received);
      assertEquals("200", wire.outcome(5));
      assertArrayEquals(part, wire.answer(5).body.toByteArray());
      assertNull(wire.answer(5).head.get("connection"));
      rig.atRest();
    }
  }

  /** HTTP/2 may split it, HTTP/1.1 must not: RFC 9113, section 8.2.3. */
  @Test
  void cookiesAreJoined() throws Exception {
    var seen = new java.util.concurrent.ConcurrentLinkedQueue<String>();
    try (var rig =
            new ProxyRig(
                "1000/1s",
                exchange -> {
                  seen.addAll(exchange.getRequestHeaders().get("Cookie"));
                  ProxyRig.answer(exchange, 200, "ok");
                });
        var wire = new H2Wire(rig)) {
      wire.get(1, "/", "cookie", "a=1", "cookie", "b=2");
      assertEquals("200", wire.outcome(1));
      assertEquals("[a=1; b=2]", seen.toString());
    }
  }

  @Test
  void eachStreamWaitsAndOneThatIsResetLeavesTheQueue() throws Exception {
    try (var rig = ok("starts(100/1m)");
        var wire = new H2Wire(rig)) {
      rig.limiter.pause();
      wire.get(1, "/1");
      wire.get(3, "/3");
      wire.get(5, "/5");
      ProxyRig.eventually(() -> rig.limiter.snapshot().waiting() == 3);
      wire.reset(3, 8);
      ProxyRig.eventually(() -> rig.limiter.snapshot().waiting() == 2);
      rig.limiter.resume();
      assertEquals("200", wire.outcome(1));
      assertEquals("200", wire.outcome(5));
      assertEquals(Set.of("GET /1", "GET /5"), Set.copyOf(rig.targets));
      rig.atRest();
      assertEquals(2, rig.limiter.snapshot().granted());
    }
  }

  /** Also if a part of its body is still to come. */
  @Test
  void anUploadThatIsResetLeavesTheQueue() throws Exception {
    try (var rig = ok("starts(100/1m)");
        var wire = new H2Wire(rig)) {
      rig.limiter.pause();
      wire.post(1, "/1");
      wire.upload(1, 90_000, false);
      wire.post(3, "/3");
      wire.data(3, false, new byte[10]);
      ProxyRig.eventually(() -> rig.limiter.snapshot().waiting() == 1);
      wire.reset(1, 8);
      wire.reset(3, 8);
      rig.atRest();
      rig.limiter.resume();
      wire.get(5, "/5");
      assertEquals("200", wire.outcome(5));
      assertEquals("[GET /5]", rig.targets.toString());
    }
  }

  /** What is read ahead, the window that may come on top of it, and what their buffers take. */
  @Test
  void anUploadThatWaitsIsCountedAsWhatItMayTake() throws Exception {
    try (var rig = ok("starts(100/1m)");
        var wire = new H2Wire(rig)) {
      rig.limiter.pause();
      wire.post(1, "/");
      wire.upload(1, 90_000, false);
      ProxyRig.eventually(() -> rig.limiter.snapshot().waiting() == 1);
      assertTrue(rig.proxy.held() >= 3 * ClientBody.MOST_AHEAD, () -> "" + rig.proxy.held());
      wire.reset(1, 8);
      rig.atRest();
    }
  }

  @Test
  void aStreamThatIsResetAfterItWasSentIsLost() throws Exception {
    var release = new CountDownLatch(1);
    try (var rig =
            new ProxyRig(
                "peer(100/1m)",
                exchange -> {
                  PacedProxyTest.awaitQuietly(release);
                  ProxyRig.answer(exchange, 200, "ok");
                });
        var wire = new H2Wire(rig)) {
      wire.get(1, "/");
      ProxyRig.eventually(() -> rig.arrived.get() == 1);
      wire.reset(1, 8);
      ProxyRig.eventually(() -> rig.limiter.snapshot().lost() == 1);
      release.countDown();
      wire.get(3, "/");
      assertEquals("200", wire.outcome(3));
      rig.atRest();
    }
  }

  @Test
  void theBoundOfAClientHoldsAcrossStreams() throws Exception {
    var limiter = Limiter.of("starts(100/1m)");
    try (var rig =
            new ProxyRig(
                limiter,
                exchange -> ProxyRig.answer(exchange, 200, "ok"),
                options -> options.maxWaitingPerClient(2));
        var wire = new H2Wire(rig);
        var other = new H2Wire(rig)) {
      limiter.pause();
      wire.get(1, "/");
      wire.get(3, "/");
      ProxyRig.eventually(() -> limiter.snapshot().waiting() == 2);
      wire.get(5, "/");
      assertEquals("429", wire.outcome(5));
      other.get(1, "/");
      assertEquals("429", other.outcome(1));
      assertTrue(other.answer(1).head.contains("retry-after"));
      limiter.resume();
      assertEquals("200", wire.outcome(1));
      assertEquals("200", wire.outcome(3));
      rig.atRest();
    }
  }

  /** Meanwhile another stream of the connection goes on. */
  @Test
  void aClientThatTakesNothingHoldsItsAnswerBack() throws Exception {
    int size = 64 << 20;
    var sent = new AtomicLong();
    try (var upstream =
            new RawUpstream(
                wire -> {
                  wire.readHead();
                  if (wire.text().startsWith("GET /small")) {
                    wire.write(
                        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
                    return;
                  }
                  wire.write("HTTP/1.1 200 OK\r\nContent-Length: " + size + "\r\n\r\n");
                  var part = "x".repeat(1 << 16);
                  for (int i = 0; i < size; i += part.length()) {
                    wire.write(part);
                    sent.addAndGet(part.length());
                  }
                  wire.drain();
                });
        var rig = new ProxyRig(Limiter.of("1000/1s"), upstream.port(), options -> options);
        var wire = new H2Wire(rig)) {
      wire.takes = false;
      wire.keeps = false;
      wire.get(1, "/large");
      wire.readUntil(() -> wire.answer(1).received == 65_535);
      wire.window(0, 1 << 20);
      for (int stream = 3; stream < 103; stream += 2) {
        wire.get(stream, "/small");
        assertEquals("200", wire.outcome(stream));
      }
      assertEquals(65_535, wire.answer(1).received);
      assertTrue(sent.get() < size / 2, sent + " were sent");
      wire.takes = true;
      wire.window(1, 1 << 20);
      assertEquals("200", wire.outcome(1));
      assertEquals(size, wire.answer(1).received);
      rig.atRest();
    }
  }

  /** All of them share one window of the connection. */
  @Test
  void uploadsThatWaitDoNotHoldOthersBack() throws Exception {
    try (var rig = echo("concurrent(1)");
        var wire = new H2Wire(rig)) {
      for (int stream = 1; stream < 13; stream += 2) {
        wire.post(stream, "/" + stream);
        wire.upload(stream, 90_000, false); // more than is read before there is a permit
      }
      ProxyRig.eventually(() -> rig.limiter.snapshot().waiting() == 5);
      for (int stream = 1; stream < 13; stream += 2) {
        wire.upload(stream, 300_000, true);
        assertEquals("200", wire.outcome(stream));
        assertEquals(390_000, wire.answer(stream).received);
      }
      rig.atRest();
    }
  }

  @Test
  void drainingSaysSoAndAnswersWhatIsUnderWay() throws Exception {
    var release = new CountDownLatch(1);
    try (var rig =
            new ProxyRig(
                "concurrent(1)",
                exchange -> {
                  PacedProxyTest.awaitQuietly(release);
                  ProxyRig.answer(exchange, 200, "ok");
                });
        var wire = new H2Wire(rig);
        var idle = rig.connect()) {
      wire.get(1, "/1");
      wire.get(3, "/3");
      ProxyRig.eventually(() -> rig.limiter.snapshot().waiting() == 1);
      var drained = CompletableFuture.runAsync(() -> rig.proxy.drain(ProxyRig.PATIENCE));
      wire.readUntil(() -> wire.goAway >= 0);
      assertEquals(0, wire.goAway);
      assertEquals(3, wire.lastStream);
      assertEquals(-1, idle.getInputStream().read());
      wire.get(5, "/5");
      release.countDown();
      wire.readUntil(() -> wire.answer(1).over() && wire.answer(3).over());
      assertEquals("ok", wire.answer(1).text());
      assertEquals("ok", wire.answer(3).text());
      wire.readUntil(() -> false);
      assertEquals("reset 7", wire.outcome(5));
      drained.join();
      assertEquals("[GET /1, GET /3]", rig.targets.toString());
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
        var rig = new ProxyRig(Limiter.of("1000/1s"), upstream.port(), options -> options);
        var wire = new H2Wire(rig)) {
      wire.get(1, "/");
      assertEquals("200", wire.outcome(1));
      assertEquals("ab", wire.answer(1).text());
      assertEquals("7", wire.answer(1).trailers.get("x-sum").toString());
      assertNull(wire.answer(1).head.get("transfer-encoding"));
      rig.atRest();
    }
  }

  /** No end of the stream: a client must not take half of an answer for the whole. */
  @Test
  void anAnswerThatBreaksOffResetsTheStream() throws Exception {
    try (var upstream =
            new RawUpstream(
                wire -> {
                  wire.readHead();
                  wire.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n");
                });
        var rig = new ProxyRig(Limiter.of("peer(1000/1s)"), upstream.port(), options -> options);
        var wire = new H2Wire(rig)) {
      wire.get(1, "/");
      assertEquals("reset 2", wire.outcome(1));
      ProxyRig.eventually(() -> rig.limiter.snapshot().lost() == 1);
      rig.atRest();
    }
  }

  @Test
  void continueIsHeldUntilThePermit() throws Exception {
    try (var rig = echo("starts(100/1m)");
        var wire = new H2Wire(rig)) {
      rig.limiter.pause();
      wire.post(1, "/", "expect", "100-continue");
      ProxyRig.eventually(() -> rig.limiter.snapshot().waiting() == 1);
      wire.get(3, "/a/../b");
      assertEquals("400", wire.outcome(3));
      assertEquals(0, wire.answer(1).continues);
      rig.limiter.resume();
      wire.readUntil(() -> wire.answer(1).continues == 1);
      wire.data(1, true, "abc".getBytes(StandardCharsets.US_ASCII));
      assertEquals("200", wire.outcome(1));
      assertEquals("abc", wire.answer(1).text());
      rig.atRest();
    }
  }

  /** The connection goes on: only the rest of that body is not wanted. */
  @Test
  void anUploadThatIsRefusedIsStopped() throws Exception {
    try (var rig = ok("starts(1/1m)");
        var wire = new H2Wire(rig)) {
      wire.get(1, "/");
      assertEquals("200", wire.outcome(1));
      wire.post(3, "/", "expect", "100-continue", "content-length", "100000");
      assertEquals("429", wire.outcome(3));
      wire.readUntil(() -> wire.answer(3).reset >= 0);
      assertEquals(0, wire.answer(3).reset);
      wire.post(5, "/a/../b");
      assertEquals("400", wire.outcome(5));
      wire.get(7, "/");
      assertEquals("429", wire.outcome(7));
      assertNull(wire.answer(5).head.get("connection"));
      assertEquals(-1, wire.goAway);
      rig.atRest();
    }
  }

  @Test
  void aClientThatSendsNoWholeHeadIsClosed() throws Exception {
    try (var rig =
        new ProxyRig(
            Limiter.of("1000/1s"),
            exchange -> ProxyRig.answer(exchange, 200, "ok"),
            options -> options.times(Duration.ofMillis(300), Duration.ofSeconds(5)))) {
      assertEquals("", rig.raw(""));
      assertEquals("", rig.raw("PRI * HTTP/2.0\r\n\r\nS"));
      rig.raw("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"); // no settings
      try (var idle = new H2Wire(rig);
          var slow = new H2Wire(rig);
          var late = new H2Wire(rig)) {
        slow.frame(H2Wire.HEADERS, 0, 1, H2Wire.block(":method", "GET"));
        late.post(1, "/");
        late.data(1, false, new byte[10]);
        assertEquals("408", late.outcome(1));
        idle.readUntil(() -> false);
        slow.readUntil(() -> false);
        late.readUntil(() -> false);
      }
      assertEquals(0, rig.arrived.get());
      rig.atRest();
    }
  }
}
