package dev.pacegate.http;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;

/** An nginx of a test's own: on a free port of the loopback, with a folder of its own. */
public final class Nginx implements AutoCloseable {

  private final Path folder;
  private final OwnServer server;

  /** Starts nginx with one location that is limited as {@code limitReq} says. */
  public Nginx(Path folder, String rate, String limitReq) throws IOException, InterruptedException {
    this.folder = folder;
    Files.createDirectories(folder.resolve("www"));
    Files.writeString(folder.resolve("www/index.html"), "hello");
    Path file = folder.resolve("nginx.conf");
    this.server =
        OwnServer.start(
            file,
            port -> config(port, rate, limitReq),
            OwnServer.program("nginx"),
            "-p",
            folder.toString(),
            "-c",
            file.toString());
  }

  private String config(int port, String rate, String limitReq) {
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

  /** Returns where its only page is. */
  public URI uri() {
    return server.uri();
  }

  /** Returns how many requests it has refused, as it has logged them. */
  public long refused() throws IOException {
    try (var lines = Files.lines(folder.resolve("access.log"))) {
      return lines.filter(line -> line.contains("\" 429 ")).count();
    }
  }

  @Override
  public void close() throws InterruptedException {
    server.close();
  }
}
