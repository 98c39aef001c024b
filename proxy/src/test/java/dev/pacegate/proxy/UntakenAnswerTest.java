package dev.pacegate.proxy;

import static java.lang.Integer.MAX_VALUE;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.NanoClock;
import dev.pacegate.time.Time;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A client must take its answer, whatever else it does; how slowly is its own matter. */
class UntakenAnswerTest {

  private static final int LARGE = 20_000_000; // more than the kernel takes

  /** What an upstream or a client may take on a busy machine. */
  private static final Duration AT_LEISURE = Duration.ofSeconds(5);

  /** For so long an answer may go untaken at most: twice {@link #AT_LEISURE}, and a little. */
  private static final Duration LONGEST_UNTAKEN = Duration.ofSeconds(12);

  /** Far longer than a test takes: only the clock that it moves can make anything late. */
  private static final Duration MOVED_TIMES = Duration.ofMinutes(5);

  private final ManualTime time = ManualTime.manual();

  private static RawUpstream upstream() throws IOException {
    return new RawUpstream(
        wire -> {
          wire.readHead();
          wire.write("HTTP/1.1 200 OK\r\nContent-Length: " + LARGE + "\r\n\r\n");
          wire.socket().getOutputStream().write(new byte[LARGE]);
          wire.drain();
        });
  }

  private static ProxyRig before(RawUpstream upstream, Duration times, NanoClock clock) {
    return new ProxyRig(
        Limiter.of("peer(100/1h)"),
        upstream.port(),
        options -> options.times(times, times).maxWait(Duration.ofMillis(100)).clock(clock));
  }

  /** Sends {@code first}, and then a byte now and then, until the connection is closed. */
  private void assertTricklesInVain(String first) throws Exception {
    try (var upstream = upstream();
        var rig = before(upstream, MOVED_TIMES, time);
        Socket client = rig.connect()) {
      client.getOutputStream().write(first.getBytes(US_ASCII));
      assertEquals('H', client.getInputStream().read());
      ProxyRig.eventually(
          () -> {
            passSomeTime();
            return !tookMore(client);
          });
      ProxyRig.eventually(() -> rig.limiter.snapshot().lost() == 1);
      rig.atRest();
      ProxyRig.eventually(() -> upstream.ended.size() == 1);
    }
  }

  /** Moves the clock, which stands still until the answer has begun: no upstream is too slow. */
  private void passSomeTime() {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20)); // so that the answer can go on
    time.advance(MOVED_TIMES.dividedBy(20));
  }

  private static boolean tookMore(Socket client) {
    try {
      client.getOutputStream().write('x');
      return true;
    } catch (IOException closed) {
      return false;
    }
  }

  @Test
  void aClientThatSendsItsBodyByteByByteAndTakesNothingIsCut() throws Exception {
    assertTricklesInVain(
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"
            + "x".repeat(ClientBody.MOST_AHEAD));
  }

  /** What comes behind a request is silence no more than its body is. */
  @Test
  void aClientThatBeginsAnotherRequestAndTakesNothingIsCut() throws Exception {
    assertTricklesInVain("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /");
  }

  /** The reset of its stream would wait behind all that it does not read. */
  @Test
  void aClientOfHttp2ThatReadsNoMoreIsCut() throws Exception {
    byte[] hugeWindow = ByteBuffer.allocate(6).putShort((short) 4).putInt(MAX_VALUE).array();
    try (var upstream = upstream();
        var rig = before(upstream, MOVED_TIMES, time);
        var wire = new H2Wire(rig, hugeWindow)) {
      wire.window(0, MAX_VALUE - 65_535);
      wire.get(1, "/");
      wire.readUntil(() -> wire.answer(1).received > 0);
      ProxyRig.eventually(
          () -> {
            passSomeTime();
            wire.frame(H2Wire.PING, 0, 0, new byte[8]);
            return wire.closed;
          });
      ProxyRig.eventually(() -> rig.limiter.snapshot().lost() == 1);
      rig.atRest();
      ProxyRig.eventually(() -> upstream.ended.size() == 1);
    }
  }

  /** In all it takes longer than nothing of it may be taken. */
  @Test
  @Tag("slow")
  void aClientThatTakesItsAnswerSlowlyGetsAllOfIt() throws Exception {
    try (var upstream = upstream();
        var rig = before(upstream, AT_LEISURE, Time.system());
        Socket client = rig.connect()) {
      client
          .getOutputStream()
          .write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".getBytes(US_ASCII));
      long begun = System.nanoTime();
      int taken = 0;
      for (int read = 1; read > 0; taken += read) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(700));
        read = client.getInputStream().readNBytes(1_000_000).length;
      }
      assertTrue(taken > LARGE, () -> "only a part of it");
      assertTrue(System.nanoTime() - begun > LONGEST_UNTAKEN.toNanos(), "too fast");
      rig.atRest();
      assertEquals(0, rig.limiter.snapshot().lost());
    }
  }

  /** Something of it waits all the time, but never the same. */
  @Test
  @Tag("slow")
  void aStreamWhoseClientTakesAPartNowAndThenGoesOn() throws Exception {
    try (var upstream = upstream();
        var rig = before(upstream, AT_LEISURE, Time.system());
        var wire = new H2Wire(rig)) {
      wire.takes = false;
      wire.keeps = false;
      wire.get(1, "/");
      long begun = System.nanoTime();
      for (int part = 1;
          System.nanoTime() - begun < LONGEST_UNTAKEN.plusSeconds(3).toNanos();
          part++) {
        int room = 65_535 + part * 16_384;
        wire.window(0, 16_384);
        wire.window(1, 16_384);
        wire.readUntil(() -> wire.answer(1).over() || wire.answer(1).received == room);
        assertFalse(wire.answer(1).over());
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300));
      }
    }
  }
}
