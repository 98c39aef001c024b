package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What a proxy tells of itself. */
class AdminTest {

  private static final InetSocketAddress ANY = InetSocketAddress.createUnresolved("127.0.0.1", 0);

  private static ProxyRig rig(String limit, CountDownLatch release) {
    return new ProxyRig(
        Limiter.of(limit),
        exchange -> {
          PacedProxyTest.awaitQuietly(release);
          ProxyRig.answer(exchange, 200, "ok");
        },
        options -> options.admin(ANY).metrics(() -> "pacegate_test 1\n"));
  }

  private static CountDownLatch released() {
    return new CountDownLatch(0);
  }

  private static HttpResponse<String> ask(ProxyRig rig, String method, String path)
      throws Exception {
    int port = rig.proxy.adminAddress().orElseThrow().getPort();
    return rig.client.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .timeout(ProxyRig.PATIENCE)
            .build(),
        BodyHandlers.ofString());
  }

  private static String told(ProxyRig rig, String path) throws Exception {
    HttpResponse<String> answer = ask(rig, "GET", path);
    return answer.statusCode() + " " + answer.body();
  }

  @Test
  void tellsThatItRunsAndIsReadyAndItsMetrics() throws Exception {
    try (var rig = rig("10/1s", released())) {
      assertEquals("200 ok\n", told(rig, "/healthz"));
      assertEquals("200 ready\n", told(rig, "/readyz"));
      HttpResponse<String> metrics = ask(rig, "GET", "/metrics");
      assertEquals("pacegate_test 1\n", metrics.body());
      assertEquals(
          "text/plain; version=0.0.4; charset=utf-8",
          metrics.headers().firstValue("Content-Type").orElseThrow());
      assertEquals("404 /healthz, /readyz or /metrics\n", told(rig, "/"));
      assertEquals(405, ask(rig, "POST", "/readyz").statusCode());
      assertEquals(0, rig.arrived.get(), "none of it is for the upstream");
    }
  }

  @Test
  void isNotReadyWhileItDrainsAndRunsUntilAllIsAnswered() throws Exception {
    var release = new CountDownLatch(1);
    try (var rig = rig("10/1s", release)) {
      var first =
          rig.client.sendAsync(
              HttpRequest.newBuilder(rig.uri("/")).build(), BodyHandlers.discarding());
      ProxyRig.eventually(() -> rig.arrived.get() == 1);
      var drained = CompletableFuture.runAsync(() -> rig.proxy.drain(ProxyRig.PATIENCE));
      ProxyRig.eventually(
          () -> {
            try {
              return told(rig, "/readyz").equals("503 draining\n");
            } catch (Exception e) {
              throw new AssertionError(e);
            }
          });
      assertEquals("200 ok\n", told(rig, "/healthz"));
      assertFalse(drained.isDone());
      release.countDown();
      assertEquals(200, first.join().statusCode());
      drained.join();
    }
  }

  @Test
  void countsWhatItAnswersItself() throws Exception {
    try (var rig = rig("starts(1/1m)", released())) {
      assertEquals(200, rig.get("/").statusCode());
      assertEquals(0, rig.proxy.rejected());
      assertEquals(429, rig.get("/").statusCode());
      assertEquals(1, rig.proxy.rejected());
    }
  }

  @Test
  void metricsThatFailHarmNothing() throws Exception {
    try (var rig =
        new ProxyRig(
            Limiter.of("10/1s"),
            exchange -> ProxyRig.answer(exchange, 200, "ok"),
            options ->
                options
                    .admin(ANY)
                    .metrics(
                        () -> {
                          throw new IllegalStateException("of a test");
                        }))) {
      assertTrue(told(rig, "/metrics").startsWith("500 the metrics failed"));
      assertEquals(200, rig.get("/").statusCode());
    }
  }

  @Test
  void anAddressThatIsTakenIsNamed() throws Exception {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var limiter = Limiter.of("10/1s")) {
      var proxy =
          PacedProxy.builder(URI.create("http://127.0.0.1:1"))
              .limiter(limiter)
              .admin(InetSocketAddress.createUnresolved("127.0.0.1", taken.getLocalPort()));
      String message = "" + assertThrows(IllegalStateException.class, proxy::start).getMessage();
      assertTrue(message.startsWith("cannot listen on 127.0.0.1:" + taken.getLocalPort()), message);
    }
  }
}
