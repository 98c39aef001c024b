package dev.pacegate.proxy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.tck.H2Server;
import dev.pacegate.proxy.PacedProxy.ProxyBuilder;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.PfxOptions;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Upstreams that speak HTTP/2. */
class Http2OutTest {

  /** A proxy to an upstream of HTTP/2, and a client of HTTP/1.1. */
  private static final class Rig implements AutoCloseable {
    final Limiter limiter = Limiter.of("peer(1000/1s)");
    final PacedProxy proxy;
    final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    Rig(URI upstream) {
      this(upstream, UnaryOperator.identity());
    }

    Rig(URI upstream, UnaryOperator<ProxyBuilder> options) {
      this.proxy = options.apply(PacedProxy.builder(upstream).limiter(limiter)).start();
    }

    /** Trusts what signed the certificate in a file. */
    Rig(URI upstream, Path keys) {
      this(upstream, options -> options.client(client -> client.setTrustOptions(trusted(keys))));
    }

    private static PfxOptions trusted(Path keys) {
      return new PfxOptions().setPath(keys.toString()).setPassword(TlsUpstream.PASSWORD);
    }

    HttpRequest request(String target) {
      int port = proxy.address().getPort();
      return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + target))
          .timeout(ProxyRig.PATIENCE)
          .build();
    }

    HttpResponse<String> get(String target) throws Exception {
      return client.send(request(target), BodyHandlers.ofString());
    }

    void atRest() throws InterruptedException {
      ProxyRig.eventually(() -> proxy.open() == 0 && limiter.snapshot().open() == 0);
      assertEquals(0, proxy.held());
    }

    @Override
    public void close() {
      proxy.close();
      limiter.close();
    }
  }

  private static URI h2c(URI address) {
    return URI.create("h2c://127.0.0.1:" + address.getPort());
  }

  @Test
  void itIsSpokenWithoutTlsIfTheAddressSaysSo() throws Exception {
    try (var upstream = new H2Server((arrival, stream) -> stream.ok("ok " + arrival));
        var rig = new Rig(h2c(upstream.uri("/")))) {
      assertEquals("ok 1", rig.get("/").body());
      assertEquals("ok 2", rig.get("/").body());
      rig.atRest();
    }
  }

  /** ALPN: each speaks what it can. */
  @Test
  void anUpstreamWithTlsChooses() throws Exception {
    Path keys = TlsUpstream.keys();
    try (var two = new H2Server((arrival, stream) -> stream.ok("two"), TlsUpstream.context(keys));
        var one = new TlsUpstream(TlsUpstream.context(keys));
        var toTwo = new Rig(two.uri(""), keys);
        var toOne = new Rig(URI.create("https://localhost:" + one.port()), keys)) {
      assertEquals("two", toTwo.get("/").body());
      assertEquals("ok", toOne.get("/").body());
    }
  }

  /** It was not processed: RFC 9113, section 8.7. */
  @Test
  void aStreamThatIsRefusedIsGivenBackAndNotSentAgain() throws Exception {
    try (var upstream = new H2Server((arrival, stream) -> stream.reset(7));
        var rig = new Rig(h2c(upstream.uri("/")))) {
      HttpResponse<String> answer = rig.get("/");
      assertEquals(502, answer.statusCode());
      assertTrue(answer.body().contains("did not take"), answer.body());
      rig.atRest();
      assertEquals(1, upstream.arrivals());
      assertEquals(0, rig.limiter.snapshot().lost());
    }
  }

  @Test
  void aStreamBeyondTheLastOneIsGivenBackAndNotSentAgain() throws Exception {
    try (var upstream = new H2Server((arrival, stream) -> stream.goAway());
        var rig = new Rig(h2c(upstream.uri("/")))) {
      HttpResponse<String> answer = rig.get("/");
      assertEquals(502, answer.statusCode());
      assertTrue(answer.body().contains("did not take"), answer.body());
      rig.atRest();
      assertEquals(1, upstream.arrivals());
      assertEquals(0, rig.limiter.snapshot().lost());
    }
  }

  @Test
  void otherResetsAreLost() throws Exception {
    for (int code : new int[] {0, 1, 2, 5, 8, 11}) {
      try (var upstream = new H2Server((arrival, stream) -> stream.reset(code));
          var rig = new Rig(h2c(upstream.uri("/")))) {
        assertEquals(502, rig.get("/").statusCode(), "code " + code);
        ProxyRig.eventually(() -> rig.limiter.snapshot().lost() == 1);
        assertEquals(1, upstream.arrivals());
      }
    }
  }

  /** An upstream that has answered has processed it, whatever the code says. */
  @Test
  void aRefusalAfterTheHeadOfTheAnswerIsLost() throws Exception {
    try (var upstream =
            new H2Server(
                (arrival, stream) -> {
                  stream.half();
                  stream.reset(7);
                });
        var rig = new Rig(h2c(upstream.uri("/")))) {
      var answer = rig.client.sendAsync(rig.request("/"), BodyHandlers.ofString());
      assertTrue(answer.handle((whole, failure) -> failure != null).join());
      ProxyRig.eventually(() -> rig.limiter.snapshot().lost() == 1);
      rig.atRest();
    }
  }

  @Test
  void aConnectionThatBreaksIsLost() throws Exception {
    try (var upstream = new H2Server((arrival, stream) -> stream.socket().close());
        var rig = new Rig(h2c(upstream.uri("/")))) {
      assertEquals(502, rig.get("/").statusCode());
      ProxyRig.eventually(() -> rig.limiter.snapshot().lost() == 1);
      assertEquals(1, upstream.arrivals());
      rig.atRest();
    }
  }

  /** The proxy says GOAWAY then. That it names no stream as the last proves nothing. */
  @Test
  void requestsInWorkAreLostWhenTheProxyCloses() throws Exception {
    for (int i = 0; i < 20; i++) {
      try (var upstream = new H2Server((arrival, stream) -> {});
          var rig = new Rig(h2c(upstream.uri("/")))) {
        var unused = rig.client.sendAsync(rig.request("/"), BodyHandlers.ofString());
        ProxyRig.eventually(() -> upstream.arrivals() == 1);
        rig.proxy.close();
        rig.atRest();
        assertEquals(1, rig.limiter.snapshot().lost());
      }
    }
  }

  /** A server of Vert.x, whose thread calls the handler. */
  private static final class VertxUpstream implements AutoCloseable {
    final Vertx vertx = Vertx.vertx();
    final Queue<HttpServerRequest> requests = new ConcurrentLinkedQueue<>();
    final URI uri;

    VertxUpstream(Consumer<HttpServerRequest> handler) {
      var server =
          vertx
              .createHttpServer()
              .requestHandler(
                  request -> {
                    requests.add(request);
                    handler.accept(request);
                  });
      server.listen(0, "127.0.0.1").toCompletionStage().toCompletableFuture().join();
      this.uri = URI.create("h2c://127.0.0.1:" + server.actualPort());
    }

    HttpServerRequest request() {
      return requests.element();
    }

    @Override
    public void close() {
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }

  @Test
  void trailersPassAndAreAskedFor() throws Exception {
    try (var upstream =
            new VertxUpstream(
                request -> request.response().putTrailer("x-sum", "7").end(Buffer.buffer("ab")));
        var rig = new Rig(upstream.uri);
        var wire = new H2Wire(rig.proxy.address().getPort())) {
      wire.get(1, "/", "te", "trailers");
      assertEquals("200", wire.outcome(1));
      assertEquals("ab", wire.answer(1).text());
      assertEquals("7", wire.answer(1).trailers.get("x-sum").toString());
      assertEquals("trailers", upstream.request().getHeader("te"));
    }
  }

  /** How gRPC tells of an error: its clients want no data then, not even none. */
  @Test
  void anAnswerThatIsAHeadAloneStaysOne() throws Exception {
    try (var upstream = new H2Server((arrival, stream) -> stream.redirect("/x"));
        var rig = new Rig(h2c(upstream.uri("/")));
        var wire = new H2Wire(rig.proxy.address().getPort())) {
      wire.get(1, "/");
      assertEquals("302", wire.outcome(1));
      assertTrue(wire.answer(1).headOnly);
      rig.atRest();
    }
  }

  /** The client has all of it, so nothing has failed. */
  @Test
  void anUpstreamThatBreaksOffAfterTheLastByteHasAnswered() throws Exception {
    try (var upstream =
            new VertxUpstream(
                request ->
                    request
                        .response()
                        .putHeader("content-length", "2")
                        .write("ok")
                        .onComplete(written -> request.response().reset(2)));
        var rig = new Rig(upstream.uri);
        var wire = new H2Wire(rig.proxy.address().getPort())) {
      wire.get(1, "/");
      assertEquals("200", wire.outcome(1));
      assertEquals("ok", wire.answer(1).text());
      rig.atRest();
      assertEquals(0, rig.limiter.snapshot().lost());
      assertEquals("{}", rig.proxy.rejected().toString());
    }
  }

  /** It has a length and no bytes. */
  @Test
  void anAnswerToHeadIsWholeWithItsHead() throws Exception {
    try (var upstream =
            new VertxUpstream(
                request ->
                    request
                        .response()
                        .putHeader("content-length", "9")
                        .writeHead()
                        .onComplete(written -> request.response().reset(2)));
        var rig = new Rig(upstream.uri);
        var wire = new H2Wire(rig.proxy.address().getPort())) {
      wire.frame(
          H2Wire.HEADERS,
          H2Wire.END_HEADERS | H2Wire.END_STREAM,
          1,
          H2Wire.block(H2Wire.fields("HEAD", "/")));
      assertEquals("200", wire.outcome(1));
      assertEquals("9", wire.answer(1).head.get("content-length").toString());
      rig.atRest();
      assertEquals(0, rig.limiter.snapshot().lost());
    }
  }

  /** A client of HTTP/1.1 goes when it has all bytes; the end of the stream comes after them. */
  @Test
  void anAnswerOfKnownLengthIsWholeBeforeItsStreamEnds() throws Exception {
    try (var upstream =
            new VertxUpstream(
                request -> request.response().putHeader("content-length", "2").write("ok"));
        var rig = new Rig(upstream.uri)) {
      try (var socket =
          new Socket(InetAddress.getLoopbackAddress(), rig.proxy.address().getPort())) {
        socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(US_ASCII));
        var head = new StringBuilder();
        while (!head.toString().endsWith("\r\n\r\nok")) {
          head.append((char) socket.getInputStream().read());
        }
      }
      rig.atRest();
      assertEquals(0, rig.limiter.snapshot().lost());
    }
  }

  /** It is reset, and the others on the connection go on. */
  @Test
  void aRequestWhoseClientGoesIsReset() throws Exception {
    var reset = new CompletableFuture<Throwable>();
    var begun = new CompletableFuture<HttpServerRequest>();
    try (var upstream =
            new VertxUpstream(
                request -> {
                  if (request.path().equals("/first")) {
                    begun.complete(request);
                  } else {
                    request.response().exceptionHandler(reset::complete);
                  }
                });
        var rig = new Rig(upstream.uri)) {
      var first = rig.client.sendAsync(rig.request("/first"), BodyHandlers.ofString());
      HttpServerRequest held = begun.join();
      try (var wire = new H2Wire(rig.proxy.address().getPort())) {
        wire.get(1, "/second");
        ProxyRig.eventually(() -> upstream.requests.size() == 2);
      }
      reset.join();
      ProxyRig.eventually(() -> rig.limiter.snapshot().lost() == 1);
      held.response().end("ok");
      assertEquals("ok", first.join().body());
      assertEquals(
          1, upstream.requests.stream().map(HttpServerRequest::connection).distinct().count());
    }
  }

  /** The upstream ends its connection while an answer is held back by its client. */
  @Test
  void anAnswerThatIsHeldBackSurvivesAGoAway() throws Exception {
    int heldBack = 0;
    for (int size = 330_000; size <= 400_000; size += 10_000) {
      heldBack += holdBack(size) ? 1 : 0;
    }
    assertTrue(heldBack > 0, "no answer was held back and yet whole in the proxy");
  }

  /** Of some size the last part is in the proxy, and waits there: true if it was so. */
  private static boolean holdBack(int size) throws Exception {
    var written = new CompletableFuture<Void>();
    try (var upstream =
            new VertxUpstream(
                request -> {
                  if (request.path().equals("/small")) {
                    request.response().end();
                    return;
                  }
                  request.connection().goAway(0);
                  request
                      .response()
                      .end(Buffer.buffer(new byte[size]))
                      .onSuccess(written::complete);
                });
        var rig = new Rig(upstream.uri);
        var wire = new H2Wire(rig.proxy.address().getPort())) {
      wire.takes = false;
      wire.get(1, "/");
      wire.readUntil(() -> wire.answer(1).received == 65_535);
      for (int i = 0; i < 3; i++) {
        assertEquals(200, rig.get("/small").statusCode()); // what is told has arrived
      }
      boolean heldBack = written.isDone() && rig.limiter.snapshot().open() == 1;
      wire.window(0, size);
      wire.window(1, size);
      assertEquals("200", wire.outcome(1), "of " + size);
      assertEquals(size, wire.answer(1).received);
      rig.atRest();
      assertEquals(0, rig.limiter.snapshot().lost());
      return heldBack;
    }
  }

  /** As a balancer without a server behind it: its sockets must not pile up. */
  @Test
  void anUpstreamThatNeverBeginsToSpeakIsLeft() throws Exception {
    try (var silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        var rig =
            new Rig(
                URI.create("h2c://127.0.0.1:" + silent.getLocalPort()),
                options -> options.connect(Duration.ofSeconds(1)))) {
      var answer = rig.client.sendAsync(rig.request("/"), BodyHandlers.ofString());
      try (Socket taken = silent.accept()) {
        taken.setSoTimeout((int) ProxyRig.PATIENCE.toMillis());
        taken.getInputStream().readAllBytes(); // to its end
      }
      assertEquals(502, answer.join().statusCode());
      rig.atRest();
      assertEquals(0, rig.limiter.snapshot().lost());
    }
  }

  @Test
  void addressesAreRead() {
    assertTrue(Upstream.of(URI.create("h2c://a:1/b")).http2());
    assertFalse(Upstream.of(URI.create("http://a")).http2());
    assertFalse(Upstream.of(URI.create("https://a")).http2());
    assertEquals("a:8080", Upstream.of(URI.create("h2c://a:8080")).toString());
  }
}
