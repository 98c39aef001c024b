package dev.pacegate.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A HAProxy of this test's own, in the foreground: on a free port of the loopback, with a folder of
 * its own. It answers by itself: 200, or 429 where {@code http_req_rate} is too high.
 */
final class Haproxy implements AutoCloseable {

  private final Path folder;
  private final Process process;
  private final int port;

  /**
   * Starts it.
   *
   * @param rate the highest estimate that is allowed in {@code period}
   * @param countsRefused whether the estimate includes what was refused
   */
  Haproxy(Path folder, int rate, String period, boolean countsRefused)
      throws IOException, InterruptedException {
    this.folder = Files.createDirectories(folder);
    this.port = freePort();
    Path config = folder.resolve("haproxy.cfg");
    Files.writeString(config, config(rate, period, countsRefused));
    this.process =
        new ProcessBuilder(program(), "-db", "-f", config.toString()) // -db: in the foreground
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("output").toFile())
            .start();
    awaitStart();
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static String program() {
    return Files.isExecutable(Path.of("/usr/sbin/haproxy")) ? "/usr/sbin/haproxy" : "haproxy";
  }

  /** Tracking counts a request: before the comparison, or only if that lets it through. */
  private String config(int rate, String period, boolean countsRefused) {
    String track = "http-request track-sc0 src";
    String rules =
        countsRefused
            ? track + "\n  http-request deny deny_status 429 if { sc_http_req_rate(0) gt " + rate
            : "http-request deny deny_status 429 if { src,table_http_req_rate() ge " + rate;
    return """
        global
          maxconn 2000
        defaults
          mode http
          timeout client 60s
          timeout connect 5s
          timeout server 60s
          timeout http-keep-alive 60s
        frontend limited
          bind 127.0.0.1:%1$d
          stick-table type ip size 1k expire 10m store http_req_rate(%2$s)
          %3$s }
        %4$s
          http-request return status 200 content-type text/plain string hello
        """
        .formatted(port, period, rules, countsRefused ? "" : "  " + track);
  }

  private void awaitStart() throws IOException, InterruptedException {
    for (int i = 0; i < 500; i++) {
      if (!process.isAlive()) {
        throw new IOException("haproxy: " + Files.readString(folder.resolve("output")));
      }
      try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        return;
      } catch (IOException notYet) {
        Thread.sleep(10); // polls
      }
    }
    close();
    throw new IOException("haproxy does not answer");
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + port + "/");
  }

  @Override
  public void close() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(10, TimeUnit.SECONDS)) {
      process.destroyForcibly();
    }
  }
}
