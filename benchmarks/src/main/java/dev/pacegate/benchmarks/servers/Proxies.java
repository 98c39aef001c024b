package dev.pacegate.benchmarks.servers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** nginx and HAProxy, mostly in front of a server that does the work; each is one process. */
public final class Proxies {

  /** Another program may take a free port before the server does. */
  private static final int TRIES = 3;

  private static final Pattern VERSION = Pattern.compile("version:? (?:nginx/)?([0-9][^ \\n]*)");

  private Proxies() {}

  /**
   * Returns what starts nginx before another server, to which it keeps connections.
   *
   * @param zone directives of all servers, such as one that makes a zone
   * @param rule directives of the only location, such as one that limits by it
   * @param origin the port of the server behind it
   */
  public static Launcher nginx(String zone, String rule, int origin) {
    String upstream =
        "upstream origin { server 127.0.0.1:%d; keepalive 100; keepalive_requests 1000000; }"
            .formatted(origin);
    return nginx(
        zone + " " + upstream,
        rule
            + " proxy_http_version 1.1; proxy_set_header Connection \"\";"
            + " proxy_pass http://origin;");
  }

  /**
   * Returns what starts nginx.
   *
   * @param http directives of all servers; paths are below the folder of the launch
   * @param location directives of the only location
   */
  public static Launcher nginx(String http, String location) {
    String program = program("nginx");
    return folder -> {
      Path config = folder.resolve("nginx.conf");
      List<String> command =
          List.of(program, "-p", folder.toString(), "-e", "stderr", "-c", config.toString());
      return launch(
          "nginx",
          folder,
          config,
          command,
          port -> nginxConfig(folder, http, location, port),
          version(program));
    };
  }

  private static String nginxConfig(Path folder, String http, String location, int port) {
    return """
        daemon off;
        master_process off;
        pid %1$s/pid;
        error_log %1$s/error.log;
        events { worker_connections 1000; }
        http {
          access_log off;
          client_body_temp_path %1$s/body;
          proxy_temp_path %1$s/proxy;
          fastcgi_temp_path %1$s/fastcgi;
          uwsgi_temp_path %1$s/uwsgi;
          scgi_temp_path %1$s/scgi;
          keepalive_requests 1000000;
          keepalive_timeout 120s;
          %2$s
          server {
            listen 127.0.0.1:%4$d;
            location / {
              %3$s
            }
          }
        }
        """
        .formatted(folder, http, location, port);
  }

  /**
   * Returns what starts HAProxy, which refuses with 429 what {@code http_req_rate} finds too many.
   *
   * @param most the highest estimate that is allowed
   * @param period in which it counts, as HAProxy writes it
   * @param countsRefused whether the estimate includes what was refused
   */
  public static Launcher haproxy(int most, String period, boolean countsRefused, int origin) {
    String program = program("haproxy");
    return folder -> {
      Path config = folder.resolve("haproxy.cfg");
      // -db: in the foreground.
      List<String> command = List.of(program, "-db", "-f", config.toString());
      return launch(
          "HAProxy",
          folder,
          config,
          command,
          port -> haproxyConfig(most, period, countsRefused, port, origin),
          version(program));
    };
  }

  /** Tracking counts a request: before the comparison, or only if that lets it through. */
  private static String haproxyConfig(
      int most, String period, boolean countsRefused, int port, int origin) {
    String track = "http-request track-sc0 src";
    String rules =
        countsRefused
            ? track + "\n  http-request deny deny_status 429 if { sc_http_req_rate(0) gt " + most
            : "http-request deny deny_status 429 if { src,table_http_req_rate() ge " + most;
    return """
        global
          maxconn 2000
        defaults
          mode http
          timeout client 120s
          timeout connect 5s
          timeout server 60s
          timeout http-keep-alive 120s
          retries 0
        frontend limited
          bind 127.0.0.1:%1$d
          stick-table type ip size 1k expire 10m store http_req_rate(%2$s)
          %3$s }
        %4$s
          default_backend origin
        backend origin
          server one 127.0.0.1:%5$d
        """
        .formatted(port, period, rules, countsRefused ? "" : "  " + track, origin);
  }

  @FunctionalInterface
  private interface Config {
    String listeningAt(int port);
  }

  private static Server launch(
      String name, Path folder, Path file, List<String> command, Config config, String version)
      throws IOException, InterruptedException {
    IOException failure = null;
    for (int i = 0; i < TRIES; i++) {
      int port = freePort();
      Files.writeString(file, config.listeningAt(port));
      Path output = folder.resolve("output" + i);
      Process process = Server.start(output, command);
      if (answers(process, port)) {
        return new Server(process, port, Map.of(name, version));
      }
      process.destroyForcibly();
      failure = Server.failure(process, output);
    }
    throw failure;
  }

  private static boolean answers(Process process, int port) throws InterruptedException {
    for (int i = 0; i < 2_000 && process.isAlive(); i++) {
      try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        return process.isAlive();
      } catch (IOException notYet) {
        Thread.sleep(10); // polls
      }
    }
    return false;
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static String program(String name) {
    Path usual = Path.of("/usr/sbin", name);
    return Files.isExecutable(usual) ? usual.toString() : name;
  }

  private static String version(String program) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(program, "-v").redirectErrorStream(true).start();
    String printed = new String(process.getInputStream().readAllBytes());
    process.waitFor();
    Matcher version = VERSION.matcher(printed);
    if (!version.find()) {
      throw new IOException("no version in what " + program + " -v prints: " + printed);
    }
    return version.group(1);
  }
}
