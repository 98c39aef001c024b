package dev.pacegate.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.sun.net.httpserver.HttpServer;
import dev.pacegate.Limiter;
import dev.pacegate.time.Time;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;

/** An upstream that counts, and a proxy before it whose routes are in a file. */
final class RoutedRig implements AutoCloseable {

  final List<String> arrived = new CopyOnWriteArrayList<>(); // method and target, in order
  final List<String> log = new CopyOnWriteArrayList<>();
  final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  final CountDownLatch held = new CountDownLatch(1); // answers to /held
  final ProxyRoutes routes;
  final PacedProxy proxy;
  private final Path file;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpServer upstream;

  RoutedRig(String limitsAndRoutes) throws IOException {
    this(limitsAndRoutes, Duration.ofSeconds(25));
  }

  RoutedRig(String limitsAndRoutes, Duration maxWait) throws IOException {
    this(limitsAndRoutes, maxWait, 1000);
  }

  RoutedRig(String limitsAndRoutes, Duration maxWait, int queue) throws IOException {
    this(limitsAndRoutes, queue, options -> options.maxWait(maxWait).maxWaiting(queue));
  }

  RoutedRig(String limitsAndRoutes, int queue, UnaryOperator<PacedProxy.ProxyBuilder> options)
      throws IOException {
    upstream = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    upstream.setExecutor(threads);
    upstream.createContext(
        "/",
        exchange -> {
          arrived.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
          if (exchange.getRequestURI().getPath().equals("/held")) {
            hold();
          }
          ProxyRig.answer(exchange, 200, "ok");
        });
    upstream.start();
    file = Files.createTempFile("routes", ".yaml");
    write(limitsAndRoutes);
    routes = ProxyRoutes.read(file, Time.system(), queue);
    proxy = options.apply(PacedProxy.builder(routes).log(log::add)).start();
  }

  private void hold() throws IOException {
    try {
      held.await();
    } catch (InterruptedException end) {
      throw new IOException(end);
    }
  }

  /** Replaces the file; {@code UPSTREAM} and {@code PORT} in it are those of the upstream. */
  void write(String limitsAndRoutes) throws IOException {
    String port = "" + upstream.getAddress().getPort();
    String text = limitsAndRoutes.contains("UPSTREAM") ? "" : "to: UPSTREAM\n";
    String all = (text + limitsAndRoutes).replace("UPSTREAM", "http://127.0.0.1:PORT");
    Files.write(file, all.replace("PORT", port).getBytes(UTF_8));
  }

  String reload(String limitsAndRoutes) throws IOException {
    write(limitsAndRoutes);
    return routes.reload();
  }

  Path file() {
    return file;
  }

  HttpRequest.Builder request(String target) {
    return HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:" + proxy.address().getPort() + target))
        .timeout(ProxyRig.PATIENCE);
  }

  int get(String target, String... headers) throws Exception {
    return send(target, headers).get();
  }

  /** Sends a request, and returns the status of its answer. */
  CompletableFuture<Integer> send(String target, String... headers) {
    HttpRequest.Builder request = request(target);
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client
        .sendAsync(request.build(), BodyHandlers.ofString())
        .thenApply(HttpResponse::statusCode);
  }

  /** As {@link #send}, and returns once one more request waits for that limit. */
  CompletableFuture<Integer> sendAndWait(String limit, String target, String... headers)
      throws InterruptedException {
    int before = limiter(limit).snapshot().waiting();
    CompletableFuture<Integer> sent = send(target, headers);
    ProxyRig.eventually(() -> limiter(limit).snapshot().waiting() == before + 1);
    return sent;
  }

  /** Sends bytes as they are, and returns all that comes back until the connection is closed. */
  String raw(String request) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), proxy.address().getPort())) {
      socket.setSoTimeout((int) ProxyRig.PATIENCE.toMillis());
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }

  Limiter limiter(String name) {
    Limiter limiter = routes.limiters().get(name);
    return limiter != null ? limiter : requireNonNull(routes.keyedLimiters().get(name)).all();
  }

  /** Nothing is left behind: neither in the proxy nor in any limiter. */
  void atRest() throws InterruptedException {
    ProxyRig.eventually(() -> proxy.open() == 0);
    for (Limiter limiter : routes.all()) {
      ProxyRig.eventually(
          () -> limiter.snapshot().open() == 0 && limiter.snapshot().waiting() == 0);
    }
  }

  @Override
  public void close() throws IOException {
    proxy.close();
    routes.close();
    upstream.stop(0);
    threads.shutdownNow();
    Files.deleteIfExists(file);
  }
}
