package dev.pacegate.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** An nginx of a test's own: on a free port of the loopback, with a folder of its own. */
public final class Nginx implements AutoCloseable {

  private final Path folder;
  private final Process process;
  private final int port;

  /** Starts nginx with one location that is limited as {@code limitReq} says. */
  public Nginx(Path folder, String rate, String limitReq) throws IOException, InterruptedException {
    this.folder = folder;
    this.port = freePort();
    Path config = folder.resolve("nginx.conf");
    Files.writeString(config, config(rate, limitReq));
    this.process =
        new ProcessBuilder(program(), "-p", folder.toString(), "-c", config.toString())
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
    return Files.isExecutable(Path.of("/usr/sbin/nginx")) ? "/usr/sbin/nginx" : "nginx";
  }

  private String config(String rate, String limitReq) {
    return """
        daemon off;
        user root;
        worker_processes 1;
        pid %1$s/pid;
        error_log %1$s/error.log;
        events { worker_connections 200; }
        http {
          access_log %1$s/access.log;
          client_body_temp_path %1$s/body;
          proxy_temp_path %1$s/proxy;
          fastcgi_temp_path %1$s/fastcgi;
          uwsgi_temp_path %1$s/uwsgi;
          scgi_temp_path %1$s/scgi;
          keepalive_requests 100000;
          limit_req_zone $server_port zone=all:1m rate=%2$s;
          limit_req_status 429;
          server {
            listen 127.0.0.1:%3$d;
            location / {
              limit_req zone=all %4$s;
              root %1$s/www;
            }
          }
        }
        """
        .formatted(folder, rate, port, limitReq);
  }

  private void awaitStart() throws IOException, InterruptedException {
    Files.createDirectories(folder.resolve("www"));
    Files.writeString(folder.resolve("www/index.html"), "hello");
    for (int i = 0; i < 500; i++) {
      if (!process.isAlive()) {
        throw new IOException("nginx: " + Files.readString(folder.resolve("output")));
      }
      try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        return;
      } catch (IOException notYet) {
        Thread.sleep(10); // polls
      }
    }
    throw new IOException("nginx does not answer");
  }

  /** Returns where its only page is. */
  public URI uri() {
    return URI.create("http://127.0.0.1:" + port + "/");
  }

  /** Returns how many requests it has refused, as it has logged them. */
  public long refused() throws IOException {
    try (var lines = Files.lines(folder.resolve("access.log"))) {
      return lines.filter(line -> line.contains("\" 429 ")).count();
    }
  }

  @Override
  public void close() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(10, TimeUnit.SECONDS)) {
      process.destroyForcibly();
    }
  }
}
