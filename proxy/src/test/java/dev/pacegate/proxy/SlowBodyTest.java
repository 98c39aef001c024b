package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A body may come slowly before there is a permit, but not for ever. */
@Tag("slow")
class SlowBodyTest {

  private static ProxyRig rig(Duration body) {
    return new ProxyRig(
        Limiter.of("peer(100/1s)"),
        exchange -> ProxyRig.answer(exchange, 200, "ok"),
        options -> options.times(body, Duration.ofMinutes(5)));
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
    try (var rig = rig(Duration.ofSeconds(3));
        Socket socket = rig.connect()) {
      begin(socket, 10);
      for (int part = 0; part < 10; part++) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(400));
        socket.getOutputStream().write('x');
      }
      assertEquals("HTTP/1.1 200", status(socket));
    }
  }

  @Test
  void aByteNowAndThenDoesNotGoOnForEver() throws Exception {
    assertEquals(Duration.ofMinutes(10), ProxySettings.STANDARD.bodyInAll());
    try (var rig = rig(Duration.ofMillis(500));
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
