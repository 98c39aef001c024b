package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.time.ManualTime;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Frames that cost a client little and a server much. */
@Timeout(120)
class Http2FloodTest {

  private static final int MANY = 20_000;

  /** What a client does, and how the connection ends. */
  private interface Flood {
    void send(H2Wire wire) throws Exception;
  }

  /** No time runs out in a test: if a connection ends, a bound has ended it. */
  private static ProxyRig rig(Limiter limiter) {
    return new ProxyRig(
        limiter,
        exchange -> ProxyRig.answer(exchange, 200, "ok"),
        options ->
            options
                .times(Duration.ofMinutes(5), Duration.ofMinutes(5))
                .maxWait(Duration.ofMinutes(5)));
  }

  /** Returns how the connection was ended: the code of GOAWAY, or -1 if it was just closed. */
  private static long end(Flood flood) throws Exception {
    var limiter = Limiter.of("peer(100000/1s)");
    try (var rig = rig(limiter)) {
      long end = end(rig, flood);
      rig.atRest();
      assertEquals(200, rig.get("/").statusCode());
      try (var next = new H2Wire(rig)) {
        next.get(1, "/");
        assertEquals("200", next.outcome(1));
      }
      return end;
    }
  }

  private static long end(ProxyRig rig, Flood flood) throws Exception {
    try (var wire = new H2Wire(rig)) {
      flood.send(wire);
      wire.closed = false;
      wire.readUntil(() -> false);
      return wire.goAway;
    }
  }

  private static final int CALM_DOWN = 11; // ENHANCE_YOUR_CALM

  /** CVE-2023-44487: streams that are begun and reset at once. */
  @Test
  void rapidResetsEndTheConnection() throws Exception {
    var limiter = Limiter.of("peer(100000/1s)");
    try (var rig = rig(limiter);
        var wire = new H2Wire(rig)) {
      limiter.pause();
      for (int i = 0; i < MANY && !wire.closed; i++) {
        wire.get(2 * i + 1, "/");
        wire.reset(2 * i + 1, 8);
      }
      wire.closed = false;
      wire.readUntil(() -> false);
      rig.atRest();
      assertEquals(0, rig.arrived.get());
      limiter.resume();
      assertEquals(200, rig.get("/").statusCode());
    }
  }

  /** As many as a gateway may send that gives up all its streams several times, and one more. */
  @Test
  void theConnectionEndsAtTheResetAfterTheLastThatMayBe() throws Exception {
    var limiter = Limiter.of("peer(100000/1s)");
    try (var rig = rig(limiter);
        var wire = new H2Wire(rig)) {
      limiter.pause();
      int stream = 1;
      for (int i = 0; i < Http2Bounds.MOST_RESETS; i++, stream += 2) {
        wire.get(stream, "/");
        wire.reset(stream, 8);
      }
      wire.awaitRead(); // the reset of a stream that has ended does not count
      limiter.resume();
      wire.get(stream, "/");
      assertEquals("200", wire.outcome(stream));
      limiter.pause();
      wire.get(stream + 2, "/");
      wire.reset(stream + 2, 8);
      wire.readUntil(() -> false);
      assertTrue(wire.goAway == CALM_DOWN || wire.goAway == -1, "" + wire.goAway);
      rig.atRest();
    }
  }

  @Test
  void aHeadOfEndlessContinuationsEndsTheConnection() throws Exception {
    long end =
        end(
            wire -> {
              wire.frame(H2Wire.HEADERS, 0, 1, H2Wire.block(H2Wire.fields("GET", "/")));
              for (int i = 0; i < MANY && !wire.closed; i++) {
                wire.frame(H2Wire.CONTINUATION, 0, 1, H2Wire.block("x", "y"));
              }
            });
    assertTrue(end == CALM_DOWN || end == -1, "" + end);
  }

  @Test
  void emptyContinuationsEndTheConnection() throws Exception {
    long end =
        end(
            wire -> {
              wire.frame(H2Wire.HEADERS, 0, 1, H2Wire.block(H2Wire.fields("GET", "/")));
              for (int i = 0; i < MANY && !wire.closed; i++) {
                wire.frame(H2Wire.CONTINUATION, 0, 1);
              }
            });
    assertTrue(end == CALM_DOWN || end == -1, "" + end);
  }

  /** An entry of 4 KB, put into the table once and named 16 000 times: 64 MB in 16 KB. */
  @Test
  void aHeadThatUnpacksToMuchIsRefused() throws Exception {
    var limiter = Limiter.of("peer(100000/1s)");
    try (var rig = rig(limiter);
        var wire = new H2Wire(rig)) {
      byte[] value = new byte[4000];
      Arrays.fill(value, (byte) 'a');
      byte[] first = H2Wire.block(H2Wire.fields("GET", "/"));
      var head = new java.io.ByteArrayOutputStream();
      head.writeBytes(first);
      byte[] entry =
          H2Wire.block("x", new String(value, java.nio.charset.StandardCharsets.US_ASCII));
      entry[0] = 0x40; // to be kept in the table
      head.writeBytes(entry);
      for (int i = 0; i < 10_000; i++) {
        head.write(0x80 | 62); // the newest entry
      }
      wire.frame(H2Wire.HEADERS, H2Wire.END_HEADERS | H2Wire.END_STREAM, 1, head.toByteArray());
      String outcome = wire.outcome(1);
      assertTrue(outcome.equals("431") || outcome.startsWith("goaway"), outcome);
      rig.atRest();
      assertEquals(0, rig.arrived.get());
      assertEquals(200, rig.get("/").statusCode());
    }
  }

  @Test
  void emptyPartsOfABodyEndTheConnection() throws Exception {
    long end =
        end(
            wire -> {
              wire.post(1, "/");
              for (int i = 0; i < MANY && !wire.closed; i++) {
                wire.data(1, false);
              }
            });
    assertTrue(end == CALM_DOWN || end == -1, "" + end);
  }

  /** The client reads no acknowledgement: they must not pile up. */
  @Test
  void pingsAndSettingsWithoutReadingEndTheConnection() throws Exception {
    for (int type : new int[] {H2Wire.PING, H2Wire.SETTINGS}) {
      long end =
          end(
              wire -> {
                var many = new java.io.ByteArrayOutputStream();
                byte[] payload = type == H2Wire.PING ? new byte[8] : new byte[0];
                for (int i = 0; i < 1000; i++) {
                  many.writeBytes(H2Wire.bytes(type, 0, 0, payload));
                }
                for (int i = 0; i < 10_000 && !wire.closed; i++) {
                  wire.raw(many.toByteArray());
                }
              });
      assertTrue(end == CALM_DOWN || end == -1, type + ": " + end);
    }
  }

  /** More than may be open: those above the bound are refused, and too many of them are a flood. */
  @Test
  void streamsThatNeverEndAreBounded() throws Exception {
    var limiter = Limiter.of("peer(100000/1s)");
    try (var rig = rig(limiter)) {
      try (var wire = new H2Wire(rig)) {
        for (int i = 0; i < 150; i++) {
          wire.post(2 * i + 1, "/");
        }
        wire.readUntil(() -> refused(wire) == 50);
        assertEquals(100, rig.proxy.open());
        for (int i = 150; i < 4000 && !wire.closed; i++) {
          wire.post(2 * i + 1, "/");
        }
        wire.closed = false;
        wire.readUntil(() -> false);
        assertTrue(
            refused(wire) <= Http2Bounds.MOST_RESETS + 1,
            refused(wire) + " were refused one by one");
      }
      rig.atRest();
      assertEquals(0, rig.arrived.get());
      assertEquals(200, rig.get("/").statusCode());
    }
  }

  private static long refused(H2Wire wire) {
    return wire.answers.values().stream().filter(each -> each.reset == 7).count();
  }

  private static PacedProxy.ProxyBuilder shortButForHeads(PacedProxy.ProxyBuilder options) {
    return options
        .times(Duration.ofMinutes(5), Duration.ofMillis(200), Duration.ofMillis(500))
        .maxWait(Duration.ofMillis(100));
  }

  /** Pings keep the connection alive. */
  @Test
  void aWindowThatStaysShutEndsTheStream() throws Exception {
    var limiter = Limiter.of("peer(100000/1s)");
    try (var upstream =
            new RawUpstream(
                wire -> {
                  wire.readHead();
                  wire.write("HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n");
                  while (true) {
                    wire.write("x".repeat(1 << 16));
                  }
                });
        var rig = new ProxyRig(limiter, upstream.port(), Http2FloodTest::shortButForHeads);
        var wire = new H2Wire(rig, setting(4, 0))) {
      wire.takes = false;
      wire.get(1, "/");
      pingWhile(wire, ProxyRig.PATIENCE, () -> !wire.answer(1).over());
      assertEquals(8, wire.answer(1).reset);
      ProxyRig.eventually(() -> limiter.snapshot().lost() == 1);
      rig.atRest();
    }
  }

  private static ProxyRig refusing() throws Exception {
    var rig =
        new ProxyRig(
            Limiter.of("starts(1/1m)"),
            exchange -> ProxyRig.answer(exchange, 200, "ok"),
            Http2FloodTest::shortButForHeads);
    rig.limiter.acquire().answered(); // the only one
    return rig;
  }

  /** The answer of the proxy itself, too. */
  @Test
  void aRefusalThatIsNotTakenEndsTheStream() throws Exception {
    try (var rig = refusing();
        var wire = new H2Wire(rig, setting(4, 0))) {
      wire.get(1, "/");
      pingWhile(wire, ProxyRig.PATIENCE, () -> !wire.answer(1).over());
      assertEquals(8, wire.answer(1).reset);
      rig.atRest();
    }
  }

  /** A stream is not reset any more when its answer has ended and waits for the window alone. */
  @Test
  void aRefusalOfWhichAPartIsTakenEndsTheConnection() throws Exception {
    try (var rig = refusing();
        var wire = new H2Wire(rig, setting(4, 1))) {
      wire.takes = false;
      wire.get(1, "/");
      pingWhile(wire, ProxyRig.PATIENCE, () -> !wire.answer(1).over());
      assertTrue(wire.closed);
      rig.atRest();
    }
  }

  /** The upstream is done with it long before. */
  @Test
  void aWholeAnswerIsNotCutWhileItsClientIsSlow() throws Exception {
    var head = Duration.ofMinutes(1);
    var time = ManualTime.manual();
    try (var rig =
            new ProxyRig(
                Limiter.of("peer(100000/1s)"),
                exchange -> ProxyRig.answer(exchange, 200, "ok"),
                options -> options.times(head, Duration.ofMinutes(10)).clock(time));
        var idle = new H2Wire(rig);
        var wire = new H2Wire(rig, setting(4, 0))) {
      idle.awaitRead();
      wire.get(1, "/");
      pingWhile(wire, ProxyRig.PATIENCE, () -> wire.answer(1).head.isEmpty());
      time.advance(head.multipliedBy(2));
      idle.readUntil(() -> false); // closed: the proxy has seen that the time is over
      assertEquals(1, rig.proxy.open());
      wire.window(1, 2);
      assertEquals("200", wire.outcome(1));
      assertEquals("ok", wire.answer(1).text());
      rig.atRest();
    }
  }

  private static void pingWhile(H2Wire wire, Duration longest, BooleanSupplier state)
      throws Exception {
    long end = System.nanoTime() + longest.toNanos();
    while (state.getAsBoolean() && !wire.closed && System.nanoTime() - end < 0) {
      wire.frame(H2Wire.PING, 0, 0, new byte[8]);
      wire.readOne();
    }
  }

  private static byte[] setting(int id, int value) {
    return ByteBuffer.allocate(6).putShort((short) id).putInt(value).array();
  }
}
