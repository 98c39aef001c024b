package dev.pacegate.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bodies of a gigabyte through a process with little memory. */
@Tag("heavy")
@Timeout(1800)
class LargeBodiesTest {

  private static final long SIZE = 1L << 30;

  /** The bound that docs/proxy.md states, in MB. */
  static final long MOST_RESIDENT = 250;

  @Test
  void passWithABoundedHeap() throws Exception {
    String expected = BodiesUpstream.Content.digest(SIZE);
    for (String scheme : List.of("http", "h2c")) {
      try (var upstream = new BodiesUpstream();
          var proxy = new ProxyProcess(upstream.uri(scheme), 128)) {
        String address = "http://127.0.0.1:" + proxy.port;
        for (String way : List.of("--http1.1", "--http2-prior-knowledge")) {
          assertEquals(expected, download(way, address), scheme + way);
          assertEquals(expected, upload(way, address), scheme + way);
        }
        long peak = proxy.peak();
        System.out.println(scheme + ": at most " + peak + " MB were resident");
        assertTrue(peak < MOST_RESIDENT, peak + " MB");
      }
    }
  }

  private static String download(String way, String address) throws Exception {
    Process curl =
        new ProcessBuilder("curl", "-sS", "--fail", way, address + "/bytes/" + SIZE).start();
    MessageDigest digest = BodiesUpstream.sha();
    byte[] part = new byte[1 << 16];
    InputStream in = curl.getInputStream();
    for (int read = in.read(part); read >= 0; read = in.read(part)) {
      digest.update(part, 0, read);
    }
    assertEquals(0, curl.waitFor());
    return HexFormat.of().formatHex(digest.digest());
  }

  private static String upload(String way, String address) throws Exception {
    Process curl =
        new ProcessBuilder("curl", "-sS", "--fail", way, "-T", "-", address + "/digest").start();
    try (OutputStream out = curl.getOutputStream()) {
      var content = new BodiesUpstream.Content(SIZE);
      for (byte[] part = content.next(); part.length > 0; part = content.next()) {
        out.write(part);
      }
    }
    String said = new String(curl.getInputStream().readAllBytes(), UTF_8);
    assertEquals(0, curl.waitFor());
    return said;
  }
}
