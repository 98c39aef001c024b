package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
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
