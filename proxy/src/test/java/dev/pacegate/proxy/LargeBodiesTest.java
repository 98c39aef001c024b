package dev.pacegate.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bodies of a gigabyte through a process with little memory. */
@Tag("heavy")
@Timeout(1800)
class LargeBodiesTest {

  private static final long SIZE = 1L << 30;

  /** The bound that docs/proxy.md states, in MB. */
  private static final long MOST_RESIDENT = 350;

  /** A proxy that is a process of its own, to the upstream of its argument. */
  static final class Main {
    private Main() {}

    public static void main(String[] arguments) throws InterruptedException {
      var proxy =
          PacedProxy.builder(URI.create(arguments[0]))
              .limiter(Limiter.of("peer(100000/1s)"))
              .start();
      System.out.println(proxy.address().getPort());
      new CountDownLatch(1).await();
    }
  }

  @Test
  void passWithABoundedHeap() throws Exception {
    String expected = BodiesUpstream.Content.digest(SIZE);
    for (String scheme : List.of("http", "h2c")) {
      try (var upstream = new BodiesUpstream()) {
        Process proxy = start(upstream.uri(scheme));
        try (BufferedReader said = proxy.inputReader(UTF_8)) {
          String address = "http://127.0.0.1:" + said.readLine();
          for (String way : List.of("--http1.1", "--http2-prior-knowledge")) {
            assertEquals(expected, download(way, address), scheme + way);
            assertEquals(expected, upload(way, address), scheme + way);
          }
          long peak = peak(proxy);
          System.out.println(scheme + ": at most " + peak + " MB were resident");
          assertTrue(peak < MOST_RESIDENT, peak + " MB");
        } finally {
          proxy.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
        }
      }
    }
  }

  private static Process start(URI upstream) throws Exception {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    return new ProcessBuilder(
            java.toString(),
            "-Xmx128m",
            "-XX:MaxDirectMemorySize=64m",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            upstream.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
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

  /** Returns how much of a process was resident at most, in MB. */
  private static long peak(Process process) throws Exception {
    for (String line : Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"))) {
      if (line.startsWith("VmHWM:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024;
      }
    }
    throw new AssertionError("no VmHWM");
  }
}
