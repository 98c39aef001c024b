package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.dns.AddressResolverOptions;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** How a proxy starts, and how it ends. */
class EndTest {

  @Test
  void drainingAnswersWhatIsUnderWayAndWhatWaits() throws Exception {
    var release = new CountDownLatch(1);
    try (var rig =
        new ProxyRig(
            "concurrent(1)",
            exchange -> {
              PacedProxyTest.awaitQuietly(release);
              ProxyRig.answer(exchange, 200, "ok");
            })) {
      var first = get(rig);
      ProxyRig.eventually(() -> rig.arrived.get() == 1);
      var second = get(rig);
      ProxyRig.eventually(() -> rig.limiter.snapshot().waiting() == 1);
      var drained = CompletableFuture.runAsync(() -> rig.proxy.drain(ProxyRig.PATIENCE));
      release.countDown();
      assertEquals(200, first.join());
      assertEquals(200, second.join());
      drained.join();
      rig.atRest();
      rig.proxy.drain(ProxyRig.PATIENCE); // no more to do
    }
  }

  private static CompletableFuture<Integer> get(ProxyRig rig) {
    return rig.client
        .sendAsync(HttpRequest.newBuilder(rig.uri("/")).build(), BodyHandlers.discarding())
        .thenApply(answer -> answer.statusCode());
  }

  @Test
  void closingGivesTheQueueUpAndSendsNothing() throws Exception {
    try (var rig = new ProxyRig("starts(1/1m)", exchange -> ProxyRig.answer(exchange, 200, "ok"))) {
      rig.limiter.pauseFor(Duration.ofSeconds(20));
      var waits = get(rig);
      ProxyRig.eventually(() -> rig.limiter.snapshot().waiting() == 1);
      rig.proxy.close();
      assertThrows(RuntimeException.class, waits::join);
      rig.atRest();
      assertEquals(0, rig.arrived.get());
    }
  }

  /** A port that is taken: what was begun is ended again. */
  @Test
  void aStartThatFailsLeavesNothingBehind() throws Exception {
    try (var taken = new ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress())) {
      var before = threads();
      var proxy =
          PacedProxy.builder(URI.create("http://127.0.0.1:1"))
              .limiter(Limiter.of("10/1s"))
              .listen(
                  new InetSocketAddress(
                      java.net.InetAddress.getLoopbackAddress(), taken.getLocalPort()));
      assertThrows(RuntimeException.class, proxy::start);
      assertThrows(
          IllegalStateException.class,
          () -> PacedProxy.builder(URI.create("http://127.0.0.1:1")).start());
      ProxyRig.eventually(() -> before.containsAll(threads()));
    }
  }

  @Test
  void aProxyThatCannotBeBuiltLeavesNothingBehind() throws Exception {
    var before = threads();
    var proxy =
        PacedProxy.builder(URI.create("http://127.0.0.1:1"))
            .limiter(Limiter.of("10/1s"))
            .names(new AddressResolverOptions().setHostsPath("/no/such/file"));
    assertThrows(RuntimeException.class, proxy::start);
    ProxyRig.eventually(() -> before.containsAll(threads()));
  }

  @Test
  void aPartThatDoesNotEndIsLoggedAndHoldsNoOthersUp() {
    var log = new ArrayList<String>();
    var failed = Future.failedFuture(new IllegalStateException("a"));
    assertFalse(Awaited.ends(() -> failed, ProxyRig.PATIENCE, log::add));
    assertFalse(
        Awaited.ends(
            () -> {
              throw new IllegalStateException("b");
            },
            ProxyRig.PATIENCE,
            log::add));
    assertFalse(Awaited.ends(() -> Promise.promise().future(), Duration.ZERO, log::add));
    assertEquals(
        List.of(
            "a part of the proxy did not end: java.lang.IllegalStateException: a",
            "a part of the proxy did not end: java.lang.IllegalStateException: b"),
        log);
  }

  @Test
  void boundsThatCannotBeAreRefused() {
    var proxy = PacedProxy.builder(URI.create("http://127.0.0.1:1"));
    assertThrows(IllegalArgumentException.class, () -> proxy.maxWaiting(-1));
    assertThrows(IllegalArgumentException.class, () -> proxy.maxWaitingPerClient(0));
    assertThrows(IllegalArgumentException.class, () -> proxy.maxWait(Duration.ofMillis(-1)));
  }

  private static java.util.Set<Thread> threads() {
    var threads = new java.util.HashSet<Thread>();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().startsWith("vert.x") || thread.getName().startsWith("pacegate-proxy")) {
        threads.add(thread);
      }
    }
    return threads;
  }

  @Test
  void aLogThatThrowsEndsNothing() throws Exception {
    var limiter = Limiter.builder("starts(1/1m)").build();
    try (var rig =
        new ProxyRig(
            limiter,
            exchange -> ProxyRig.answer(exchange, 200, "ok"),
            options ->
                options.log(
                    line -> {
                      throw new IllegalStateException(line);
                    }))) {
      assertEquals(200, rig.get("/").statusCode());
      assertEquals(429, rig.get("/").statusCode());
      assertEquals(429, rig.get("/").statusCode());
      rig.atRest();
    }
  }

  @Test
  void aLogThatBlocksHoldsNoRequestUp() throws Exception {
    var release = new CountDownLatch(1);
    try (var rig =
        new ProxyRig(
            Limiter.of("starts(1/1m)"),
            exchange -> ProxyRig.answer(exchange, 200, "ok"),
            options -> options.log(line -> PacedProxyTest.awaitQuietly(release)))) {
      assertEquals(200, rig.get("/").statusCode());
      assertEquals(429, rig.get("/").statusCode());
      assertEquals(429, rig.get("/").statusCode());
      release.countDown();
      rig.atRest();
    }
  }

  /** The certificate is checked: a request must not go to any server at that address. */
  @Test
  void anUpstreamThatNoAuthorityKnowsGetsNothing() throws Exception {
    try (var upstream = new TlsUpstream();
        var limiter = Limiter.of("peer(1/1m)");
        var proxy =
            PacedProxy.builder(URI.create("https://localhost:" + upstream.port()))
                .limiter(limiter)
                .start()) {
      var answer =
          java.net.http.HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(
                          URI.create("http://127.0.0.1:" + proxy.address().getPort() + "/"))
                      .timeout(ProxyRig.PATIENCE)
                      .build(),
                  BodyHandlers.ofString());
      assertEquals(502, answer.statusCode());
      assertTrue(
          answer.body().endsWith("cannot be reached: its certificate is not trusted\n"),
          answer.body());
      assertFalse(upstream.reached());
      assertEquals(0, limiter.snapshot().lost());
    }
  }
}
