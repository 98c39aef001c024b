package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import dev.pacegate.Limiter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/** An upstream that counts, a proxy before it, and clients. */
final class ProxyRig implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofSeconds(20);

  final AtomicInteger arrived = new AtomicInteger();
  final List<String> log = new CopyOnWriteArrayList<>();
  final ConcurrentLinkedQueue<String> targets = new ConcurrentLinkedQueue<>();
  final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  final Limiter limiter;
  final PacedProxy proxy;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpServer upstream;

  ProxyRig(String limit, HttpHandler handler) {
    this(Limiter.of(limit), handler, options -> options);
  }

  ProxyRig(Limiter limiter, HttpHandler handler, UnaryOperator<PacedProxy.ProxyBuilder> options) {
    this.limiter = limiter;
    this.upstream = serve(handler);
    this.proxy = proxy(URI.create("http://127.0.0.1:" + upstream.getAddress().getPort()), options);
  }

  /** A proxy before an upstream of the test's own. */
  ProxyRig(Limiter limiter, int port, UnaryOperator<PacedProxy.ProxyBuilder> options) {
    this(limiter, URI.create("http://127.0.0.1:" + port), options);
  }

  ProxyRig(Limiter limiter, URI to, UnaryOperator<PacedProxy.ProxyBuilder> options) {
    this.limiter = limiter;
    this.upstream = serve(exchange -> answer(exchange, 200, ""));
    this.proxy = proxy(to, options);
  }

  private PacedProxy proxy(URI to, UnaryOperator<PacedProxy.ProxyBuilder> options) {
    return options.apply(PacedProxy.builder(to).limiter(limiter).log(log::add)).start();
  }

  private HttpServer serve(HttpHandler handler) {
    try {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
      server.setExecutor(threads);
      server.createContext(
          "/",
          exchange -> {
            arrived.incrementAndGet();
            targets.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
            handler.handle(exchange);
          });
      server.start();
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void answer(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getRequestBody().readAllBytes();
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  URI uri(String target) {
    return URI.create("http://127.0.0.1:" + proxy.address().getPort() + target);
  }

  HttpResponse<String> get(String target) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(uri(target)));
  }

  HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
    return client.send(request.timeout(PATIENCE).build(), HttpResponse.BodyHandlers.ofString());
  }

  Socket connect() throws IOException {
    var socket = new Socket(InetAddress.getLoopbackAddress(), proxy.address().getPort());
    socket.setSoTimeout((int) PATIENCE.toMillis());
    return socket;
  }

  /** Sends bytes as they are, and returns all that comes back until the connection is closed. */
  String raw(String request) throws IOException {
    try (Socket socket = connect()) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      InputStream in = socket.getInputStream();
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }

  /** Waits until a state is reached that another thread brings about. */
  static void eventually(BooleanSupplier reached) throws InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!reached.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("not within " + PATIENCE);
      }
      Thread.sleep(5);
    }
  }

  /** Nothing is left behind: neither in the proxy nor in its limiter. */
  void atRest() throws InterruptedException {
    eventually(() -> proxy.open() == 0);
    eventually(() -> limiter.snapshot().open() == 0 && limiter.snapshot().waiting() == 0);
    assertEquals(0, proxy.open());
    assertEquals(0, proxy.held());
  }

  @Override
  public void close() {
    proxy.close();
    limiter.close();
    upstream.stop(0);
    threads.shutdownNow();
  }
}
