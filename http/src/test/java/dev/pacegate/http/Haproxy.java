package dev.pacegate.http;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A HAProxy of this test's own, in the foreground: on a free port of the loopback, with a folder of
 * its own. It answers by itself: 200, or 429 where {@code http_req_rate} is too high.
 */
final class Haproxy implements AutoCloseable {

  private final OwnServer server;

  /**
   * Starts it.
   *
   * @param rate the highest estimate that is allowed in {@code period}
   * @param countsRefused whether the estimate includes what was refused
   */
  Haproxy(Path folder, int rate, String period, boolean countsRefused)
      throws IOException, InterruptedException {
    Path file = Files.createDirectories(folder).resolve("haproxy.cfg");
    this.server =
        OwnServer.start(
            file,
            port -> config(port, rate, period, countsRefused),
            OwnServer.program("haproxy"),
            "-db", // in the foreground
            "-f",
            file.toString());
  }

  /** Tracking counts a request: before the comparison, or only if that lets it through. */
  private static String config(int port, int rate, String period, boolean countsRefused) {
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

  URI uri() {
    return server.uri();
  }

  @Override
  public void close() throws InterruptedException {
    server.close();
  }
}
