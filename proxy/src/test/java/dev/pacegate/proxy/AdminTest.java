package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.limit.spi.FedMeter;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.limit.spi.MeterProvider;
import dev.pacegate.limit.spi.MeterSource.MeterContext;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What a proxy tells of itself. */
class AdminTest {

  private static final String FENCE = "no permits are granted for 9.5s";
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
      HttpResponse<String> head = ask(rig, "HEAD", "/readyz");
      assertEquals("200 ", head.statusCode() + " " + head.body());
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
  void countsByStatusWhatItAnswersItself() throws Exception {
    try (var rig = rig("starts(1/1m)", released())) {
      assertEquals(200, rig.get("/").statusCode());
      assertEquals(Map.of(), rig.proxy.rejected());
      assertEquals(429, rig.get("/").statusCode());
      assertEquals(Map.of(429, 1L), rig.proxy.rejected());
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
      assertEquals("500 the metrics failed\n", told(rig, "/metrics"));
      ProxyRig.eventually(() -> rig.log.toString().contains("of a test"));
      assertEquals(200, rig.get("/").statusCode());
    }
  }

  @Test
  void isNotReadyWhileTheSourceGivesNothing() throws Exception {
    try (var limiter = Limiter.builder("10/1s").source(AdminTest::withoutPermits).build();
        var rig =
            new ProxyRig(
                limiter,
                exchange -> ProxyRig.answer(exchange, 200, "ok"),
                options -> options.admin(ANY))) {
      assertEquals("503 " + FENCE + "\n", told(rig, "/readyz"));
      assertEquals("404 no metrics\n", told(rig, "/metrics"));
    }
  }

  @Test
  void isReadyOnlyIfAllLimitersAre() {
    try (var fenced = Limiter.builder("10/1s").source(AdminTest::withoutPermits).build();
        var other = Limiter.of("10/1s")) {
      assertEquals(Optional.of(FENCE), new Health(() -> List.of(other, fenced)).unreadyReason());
      assertEquals(Optional.empty(), new Health(() -> List.of(other, other)).unreadyReason());
    }
  }

  /** Returns the meter of a store that has begun a fence: it counts, but lets nothing through. */
  private static FedMeter withoutPermits(MeterContext made) {
    Meter counts = ((MeterProvider) made.limit()).newMeter(made.now());
    return (FedMeter)
        Proxy.newProxyInstance(
            FedMeter.class.getClassLoader(),
            new Class<?>[] {FedMeter.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "unavailable" -> FENCE;
                  case "nanosUntil" -> Meter.AT_EVENT;
                  case "fails" -> false;
                  case "errand", "retire" -> null;
                  default -> method.invoke(counts, arguments);
                });
  }

  @Test
  void optionsThatContradictEachOtherAreRefused() {
    var limiter = Limiter.of("10/1s");
    var proxy = PacedProxy.builder(URI.create("http://127.0.0.1:1")).limiter(limiter);
    proxy.metrics(() -> "");
    assertThrows(IllegalStateException.class, proxy::start, "metrics without admin");
    var at = InetSocketAddress.createUnresolved("127.0.0.1", 1);
    assertThrows(IllegalStateException.class, () -> proxy.listen(at).admin(at).start());
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
      assertFalse(message.contains("Exception"), message);
    }
  }
}
