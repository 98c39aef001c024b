package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** An upstream may take as long as it likes, as long as something passes. */
class SilenceTest {

  private static final Duration SILENCE = Duration.ofSeconds(1);

  private static ProxyRig before(RawUpstream upstream) {
    return new ProxyRig(
        Limiter.of("peer(100/1s)"),
        upstream.port(),
        options -> options.times(Duration.ofSeconds(20), SILENCE));
  }

  @Test
  void silenceBeforeTheHeadIsA504AndThePermitIsLost() throws Exception {
    try (var upstream = new RawUpstream(RawUpstream.Wire::drain);
        var rig = before(upstream)) {
      assertEquals(504, rig.get("/").statusCode());
      ProxyRig.eventually(() -> rig.limiter.snapshot().lost() == 1);
      ProxyRig.eventually(() -> upstream.ended.size() == 1);
    }
  }

  @Test
  void silenceInMidBodyBreaksOffAndThePermitIsLost() throws Exception {
    try (var upstream =
            new RawUpstream(
                wire -> {
                  wire.readHead();
                  wire.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
                  wire.drain();
                });
        var rig = before(upstream)) {
      String answer = rig.raw("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
      assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
      assertFalse(answer.contains("pacegate"), answer);
      String line = "GET from 127.0.0.1 cut off after 200: the upstream was silent for too long";
      ProxyRig.eventually(() -> rig.log.contains(line));
      ProxyRig.eventually(() -> rig.limiter.snapshot().lost() == 1);
      ProxyRig.eventually(() -> upstream.ended.size() == 1);
    }
  }

  /** An upload of three times the silence, without a part of an answer before its end. */
  @Test
  void aSlowUploadIsNoSilence() throws Exception {
    try (var upstream =
            new RawUpstream(
                wire -> {
                  wire.readHead();
                  wire.read(70_000);
                  wire.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
                  wire.drain();
                });
        var rig = before(upstream);
        Socket socket = rig.connect()) {
      String head =
          "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().write(new byte[69_970]);
      for (int i = 0; i < 30; i++) {
        LockSupport.parkNanos(SILENCE.toNanos() / 10);
        socket.getOutputStream().write(0);
      }
      String answer =
          new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
      assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
      rig.atRest();
    }
  }

  /** A client that reads late is not taken for a silent upstream. */
  @Test
  void anAnswerThatIsHeldBackByTheClientIsNoSilence() throws Exception {
    int length = 20_000_000;
    try (var upstream =
            new RawUpstream(
                wire -> {
                  wire.readHead();
                  wire.write("HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n");
                  wire.socket().getOutputStream().write(new byte[length]);
                  wire.drain();
                });
        var rig = before(upstream);
        Socket socket = rig.connect()) {
      socket
          .getOutputStream()
          .write(
              "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      assertEquals('H', socket.getInputStream().read());
      LockSupport.parkNanos(2 * SILENCE.toNanos());
      assertTrue(socket.getInputStream().readAllBytes().length > length);
      rig.atRest();
    }
  }
}
