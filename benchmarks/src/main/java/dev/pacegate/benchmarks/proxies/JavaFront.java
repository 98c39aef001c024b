package dev.pacegate.benchmarks.proxies;

import dev.pacegate.Limiter;
import dev.pacegate.benchmarks.servers.AnnouncedServer;
import dev.pacegate.benchmarks.servers.Launcher;
import dev.pacegate.proxy.PacedProxy;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.impl.VertxImpl;
import io.vertx.httpproxy.HttpProxy;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A proxy in Java, as a process of its own. */
public final class JavaFront {

  private static final String VERTX = "vertx";

  /** As many as Pacegate's: requests shall not wait for a connection. */
  private static final int MOST_CONNECTIONS = 10_000;

  private JavaFront() {}

  /** Returns what starts Pacegate's. */
  static Launcher pacegate(String limit, int origin) {
    return process(limit, origin);
  }

  /** Returns what starts vertx-http-proxy as it comes, on one event loop like Pacegate's. */
  static Launcher vertx(int origin) {
    return process(VERTX, origin);
  }

  private static Launcher process(String kind, int origin) {
    return AnnouncedServer.launcher(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            JavaFront.class.getName(),
            kind,
            "" + origin));
  }

  /** Takes a limit, or the name of the other one, and the port of the upstream. */
  public static void main(String[] args) throws InterruptedException {
    int origin = Integer.parseInt(args[1]);
    int port = args[0].equals(VERTX) ? startVertx(origin) : startPacegate(args[0], origin);
    System.out.printf(
        "{\"port\":%d,\"versions\":{\"Vert.x\":\"%s\"}}%n", port, VertxImpl.version());
    new CountDownLatch(1).await();
  }

  private static int startPacegate(String limit, int origin) {
    return PacedProxy.builder(URI.create("http://127.0.0.1:" + origin))
        .limiter(Limiter.of(limit))
        .start()
        .address()
        .getPort();
  }

  private static int startVertx(int origin) {
    var vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    var client = vertx.createHttpClient(new PoolOptions().setHttp1MaxSize(MOST_CONNECTIONS));
    return vertx
        .createHttpServer()
        .requestHandler(HttpProxy.reverseProxy(client).origin(origin, "127.0.0.1"))
        .listen(0, "127.0.0.1")
        .await()
        .actualPort();
  }
}
