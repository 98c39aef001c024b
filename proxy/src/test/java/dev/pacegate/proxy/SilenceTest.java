package dev.pacegate.proxy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.time.ManualTime;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An upstream may take as long as it likes, as long as something passes. */
@Timeout(120)
class SilenceTest {

  private static final Duration SILENCE = Duration.ofMinutes(5);

  private final ManualTime time = ManualTime.manual();

  private ProxyRig before(RawUpstream upstream) {
    return new ProxyRig(
        Limiter.of("peer(100/1s)"),
        upstream.port(),
        options -> options.times(SILENCE, SILENCE).clock(time));
  }

  @Test
  void silenceBeforeTheHeadIsA504AndThePermitIsLost() throws Exception {
    var arrived = new CountDownLatch(1);
    try (var upstream =
            new RawUpstream(
                wire -> {
                  wire.readHead();
                  arrived.countDown();
                  wire.drain();
                });
        var rig = before(upstream)) {
      var request = HttpRequest.newBuilder(rig.uri("/")).build();
      var answer = rig.client.sendAsync(request, BodyHandlers.discarding());
      arrived.await();
      time.advance(SILENCE);
      assertEquals(504, answer.get().statusCode());
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
        var rig = before(upstream);
        Socket socket = rig.connect()) {
      socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(US_ASCII));
      InputStream in = socket.getInputStream();
      var answer = new StringBuilder();
      while (answer.indexOf("half") < 0) {
        int read = in.read();
        assertTrue(read >= 0, answer::toString);
        answer.append((char) read);
      }
      time.advance(SILENCE);
      answer.append(new String(in.readAllBytes(), US_ASCII));
      assertTrue(answer.toString().startsWith("HTTP/1.1 200 "), answer::toString);
      assertTrue(answer.toString().endsWith("half"), answer::toString);
      String line = "GET from 127.0.0.1 cut off after 200: the upstream was silent for too long";
      ProxyRig.eventually(() -> rig.log.contains(line));
      ProxyRig.eventually(() -> rig.limiter.snapshot().lost() == 1);
      ProxyRig.eventually(() -> upstream.ended.size() == 1);
    }
  }

  /** An upload of twice the silence, without a part of an answer before its end. */
  @Test
  void aSlowUploadIsNoSilence() throws Exception {
    var passed = new Semaphore(0);
    try (var upstream =
            new RawUpstream(
                wire -> {
                  wire.readHead();
                  wire.read(69_995);
                  for (int i = 0; i < 5; i++) {
                    passed.release();
                    wire.read(1);
                  }
                  wire.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
                  wire.drain();
                });
        var rig = before(upstream);
        var idle = new H2Wire(rig);
        Socket socket = rig.connect()) {
      idle.awaitRead();
      String head =
          "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(head.getBytes(US_ASCII));
      socket.getOutputStream().write(new byte[69_995]);
      for (int i = 0; i < 5; i++) {
        passed.acquire();
        time.advance(SILENCE.multipliedBy(2).dividedBy(5));
        if (i == 2) {
          idle.readUntil(() -> false); // closed: the proxy has seen that the time is over
        }
        socket.getOutputStream().write(0);
      }
      String answer = new String(socket.getInputStream().readAllBytes(), US_ASCII);
      assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
      rig.atRest();
    }
  }

  /** A client that reads late is not taken for a silent upstream. */
  @Test
  @Tag("slow")
  void anAnswerThatIsHeldBackByTheClientIsNoSilence() throws Exception {
    int length = 20_000_000;
    var silence = Duration.ofSeconds(5);
    try (var upstream =
            new RawUpstream(
                wire -> {
                  wire.readHead();
                  wire.write("HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n");
                  wire.socket().getOutputStream().write(new byte[length]);
                  wire.drain();
                });
        var rig =
            new ProxyRig(
                Limiter.of("peer(100/1s)"),
                upstream.port(),
                options -> options.times(SILENCE, silence));
        Socket socket = rig.connect()) {
      socket
          .getOutputStream()
          .write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".getBytes(US_ASCII));
      assertEquals('H', socket.getInputStream().read());
      LockSupport.parkNanos(silence.plusSeconds(2).toNanos());
      assertTrue(socket.getInputStream().readAllBytes().length > length);
      rig.atRest();
    }
  }
}
