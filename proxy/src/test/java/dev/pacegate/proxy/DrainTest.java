package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens when the time to drain is over. */
@Timeout(60)
class DrainTest {

  private static CompletableFuture<HttpResponse<String>> get(ProxyRig rig) {
    return rig.client.sendAsync(
        HttpRequest.newBuilder(rig.uri("/")).build(), BodyHandlers.ofString());
  }

  @Test
  void tellsRequestsThatWereNotSentAndCutsOthersOff() throws Exception {
    var release = new CountDownLatch(1);
    try (var rig =
        new ProxyRig(
            "concurrent(1)",
            exchange -> {
              PacedProxyTest.awaitQuietly(release);
              ProxyRig.answer(exchange, 200, "ok");
            })) {
      var sent = get(rig);
      ProxyRig.eventually(() -> rig.arrived.get() == 1);
      List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        waiting.add(get(rig));
      }
      ProxyRig.eventually(() -> rig.limiter.snapshot().waiting() == 20);
      rig.proxy.drain(Duration.ZERO);
      for (var unsent : waiting) {
        HttpResponse<String> answer = unsent.join();
        assertEquals(503, answer.statusCode());
        assertEquals("1", answer.headers().firstValue("Retry-After").orElseThrow());
        assertEquals("pacegate: not sent: the proxy ends\n", answer.body());
      }
      assertThrows(CompletionException.class, sent::join);
      release.countDown();
      assertEquals(1, rig.arrived.get());
      assertTrue(rig.log.contains("draining: 21 requests under way"), rig.log::toString);
      assertTrue(
          rig.log.contains(
              "the time to drain is over: 20 requests not sent and answered 503, 1 cut off"),
          rig.log::toString);
      rig.atRest();
    }
  }

  /** Its client would send it again, and the upstream would get it twice. */
  @Test
  void aRequestThatIsSentAtTheLastMomentIsNotToldAsUnsent() throws Exception {
    var release = new CountDownLatch(1);
    try (var rig =
        new ProxyRig(
            Limiter.of("starts(1/1h)"),
            exchange -> {
              if (exchange.getRequestURI().getPath().equals("/late")) {
                PacedProxyTest.awaitQuietly(release);
              }
              ProxyRig.answer(exchange, 200, "ok");
            },
            options -> options.maxWait(Duration.ofHours(2)))) {
      assertEquals(200, rig.get("/").statusCode()); // its connection is there for the next one
      var late =
          CompletableFuture.supplyAsync(
              () -> raw(rig, "GET /late HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
      ProxyRig.eventually(() -> rig.limiter.snapshot().waiting() == 1);
      var behind = rig.limiter.acquireAsync();
      var ended = new CompletableFuture<Void>();
      rig.proxy
          .vertx()
          .runOnContext(
              now -> {
                rig.proxy.endRequests().onComplete(done -> ended.complete(null));
                rig.limiter.setLimit("starts(3/1h)"); // it is heard while others are to end
                behind.join();
              });
      ended.join();
      assertEquals("", late.join());
      ProxyRig.eventually(
          () ->
              rig.log.contains(
                  "the time to drain is over: 0 requests not sent and answered 503, 1 cut off"));
      release.countDown();
    }
  }

  /** Nothing of it was sent, and it has been told so. */
  @Test
  void aRefusalThatIsNotTakenIsNoRequestThatIsCutOff() throws Exception {
    byte[] shut = {0, 4, 0, 0, 0, 0}; // the window of streams
    try (var rig =
            new ProxyRig(
                Limiter.of("starts(1/1h)"),
                exchange -> ProxyRig.answer(exchange, 200, "ok"),
                options -> options.maxWait(Duration.ZERO));
        var wire = new H2Wire(rig, shut)) {
      assertEquals(200, rig.get("/").statusCode());
      wire.get(1, "/");
      ProxyRig.eventually(() -> rig.proxy.rejected().containsKey(429));
      assertEquals(1, rig.proxy.open());
      rig.proxy.drain(Duration.ZERO);
      assertTrue(rig.log.contains("draining: 1 request under way"), rig.log::toString);
      assertTrue(rig.log.stream().noneMatch(line -> line.contains("cut off")), rig.log::toString);
    }
  }

  private static String raw(ProxyRig rig, String request) {
    try {
      return rig.raw(request);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Such as one that stood behind another on its connection. */
  @Test
  void aRequestAfterTheEndOfTheOthersIsNotSentEither() throws Exception {
    try (var rig = new ProxyRig("10/1s", exchange -> ProxyRig.answer(exchange, 200, "ok"))) {
      rig.proxy.endRequests().toCompletionStage().toCompletableFuture().join();
      HttpResponse<String> answer = rig.get("/");
      assertEquals("pacegate: not sent: the proxy ends\n", answer.body());
      assertEquals(503, answer.statusCode());
      assertEquals(0, rig.arrived.get());
      rig.atRest();
      rig.proxy.close();
      assertEquals(
          List.of("GET from 127.0.0.1 refused: 503 not sent: the proxy ends; Retry-After: 1"),
          rig.log);
    }
  }

  /** A thread of the proxy may hang in what a user has given it. */
  @Test
  void aThreadThatHangsDoesNotHoldItUp() throws Exception {
    var hangs = new CountDownLatch(1);
    var release = new CountDownLatch(1);
    try (var rig =
        new ProxyRig(
            Limiter.of("10/1s"),
            exchange -> ProxyRig.answer(exchange, 200, "ok"),
            options ->
                options.client(
                    client -> {
                      hangs.countDown();
                      awaitForEver(release);
                      return client;
                    }))) {
      var unused = get(rig);
      hangs.await();
      var drained = CompletableFuture.runAsync(() -> rig.proxy.drain(Duration.ofMillis(1)));
      try {
        assertNull(drained.get(ProxyRig.PATIENCE.toSeconds(), TimeUnit.SECONDS));
      } finally {
        release.countDown();
      }
    }
  }

  private static void awaitForEver(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
