package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.NanoClock;
import dev.pacegate.time.Time;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A body may come slowly before there is a permit, but not for ever. */
class SlowBodyTest {

  private static ProxyRig rig(Duration body, NanoClock clock) {
    return new ProxyRig(
        Limiter.of("peer(100/1s)"),
        exchange -> ProxyRig.answer(exchange, 200, "ok"),
        options -> options.times(body, Duration.ofMinutes(5)).clock(clock));
  }

  private static void begin(Socket socket, int length) throws Exception {
    socket
        .getOutputStream()
        .write(
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + length + "\r\n\r\n")
                .getBytes(StandardCharsets.ISO_8859_1));
  }

  private static String status(Socket socket) throws Exception {
    return new String(socket.getInputStream().readNBytes(12), StandardCharsets.ISO_8859_1);
  }

  /** In all it takes longer than nothing of it may. */
  @Test
  void aBodyThatGoesOnComingIsSent() throws Exception {
    var body = Duration.ofSeconds(30);
    var time = ManualTime.manual();
    try (var rig = rig(body, time);
        var idle = new H2Wire(rig);
        Socket socket = rig.connect()) {
      idle.awaitRead();
      begin(socket, 5);
      for (int part = 0; part < 4; part++) {
        long held = rig.proxy.held();
        socket.getOutputStream().write('x');
        ProxyRig.eventually(() -> rig.proxy.held() > held);
        time.advance(body.multipliedBy(2).dividedBy(5));
      }
      idle.readUntil(() -> false); // closed: the proxy has seen that the time is over
      socket.getOutputStream().write('x');
      assertEquals("HTTP/1.1 200", status(socket));
    }
  }

  @Test
  @Tag("slow")
  void aByteNowAndThenDoesNotGoOnForEver() throws Exception {
    assertEquals(Duration.ofMinutes(10), ProxySettings.STANDARD.bodyInAll());
    try (var rig = rig(Duration.ofMillis(500), Time.system());
        Socket socket = rig.connect()) {
      begin(socket, 60_000);
      OutputStream out = socket.getOutputStream();
      int sent = 0;
      while (socket.getInputStream().available() == 0) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        out.write('x');
        assertTrue(++sent < 400, "it goes on and on");
      }
      assertEquals("HTTP/1.1 408", status(socket));
    }
  }
}
