package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class PacedProxyTest {

  @Test
  void passesRequestsAndAnswersOn() throws Exception {
    try (var rig =
        new ProxyRig(
            "10/1s",
            exchange -> {
              exchange
                  .getResponseHeaders()
                  .add("X-Seen", exchange.getRequestHeaders().getFirst("X-Own"));
              exchange
                  .getResponseHeaders()
                  .add("X-Host", exchange.getRequestHeaders().getFirst("Host"));
              ProxyRig.answer(exchange, 201, "made");
            })) {
      HttpResponse<String> answer =
          rig.send(
              HttpRequest.newBuilder(rig.uri("/a%2Fb?c=d%20e"))
                  .header("X-Own", "mine")
                  .POST(BodyPublishers.ofString("body")));
      assertEquals(201, answer.statusCode());
      assertEquals("made", answer.body());
      assertEquals("mine", answer.headers().firstValue("X-Seen").orElseThrow());
      assertFalse(
          answer
              .headers()
              .firstValue("X-Host")
              .orElseThrow()
              .endsWith(":" + rig.proxy.address().getPort()));
      assertEquals("POST /a%2Fb?c=d%20e", rig.targets.poll());
      rig.atRest();
    }
  }

  @Test
  void bodiesPassUnchangedBothWays() throws Exception {
    try (var rig =
        new ProxyRig(
            "1000/1s",
            exchange -> {
              boolean known = exchange.getRequestURI().getPath().equals("/known");
              byte[] body = exchange.getRequestBody().readAllBytes();
              exchange.sendResponseHeaders(200, known && body.length > 0 ? body.length : 0);
              exchange.getResponseBody().write(body);
              exchange.close();
            })) {
      var random = new Random(42);
      for (int length : new int[] {0, 1, 65_535, 65_536, 65_537, 5_000_000}) {
        byte[] body = new byte[length];
        random.nextBytes(body);
        for (String target : new String[] {"/known", "/chunked"}) {
          assertArrayEquals(body, echo(rig, target, body), target + " " + length);
        }
      }
      rig.atRest();
    }
  }

  private static byte[] echo(ProxyRig rig, String target, byte[] body)
      throws IOException, InterruptedException {
    var publisher =
        target.equals("/known")
            ? BodyPublishers.ofByteArray(body)
            : BodyPublishers.ofInputStream(() -> new java.io.ByteArrayInputStream(body));
    var request =
        HttpRequest.newBuilder(rig.uri(target)).timeout(ProxyRig.PATIENCE).POST(publisher);
    return rig.client.send(request.build(), BodyHandlers.ofByteArray()).body();
  }

  /** The permit ends with the body, so under concurrent(1) no two overlap. */
  @Test
  void thePermitEndsWithTheBody() throws Exception {
    var release = new CountDownLatch(1);
    try (var rig =
        new ProxyRig(
            "concurrent(1)",
            exchange -> {
              exchange.sendResponseHeaders(200, 0);
              exchange.getResponseBody().write('a');
              exchange.getResponseBody().flush();
              if (exchange.getRequestURI().getPath().equals("/first")) {
                awaitQuietly(release);
              }
              exchange.close();
            })) {
      var first =
          rig.client.send(
              HttpRequest.newBuilder(rig.uri("/first")).build(), BodyHandlers.ofInputStream());
      assertEquals('a', first.body().read());
      var second =
          rig.client.sendAsync(
              HttpRequest.newBuilder(rig.uri("/second")).build(), BodyHandlers.ofString());
      ProxyRig.eventually(() -> rig.limiter.snapshot().waiting() == 1);
      assertEquals(1, rig.arrived.get());
      release.countDown();
      assertEquals("a", second.get().body());
      rig.atRest();
    }
  }

  static void awaitQuietly(CountDownLatch latch) {
    try {
      assertTrue(latch.await(20, java.util.concurrent.TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void neverMoreAtTheUpstreamThanTheLimit() throws Exception {
    var instants = new java.util.concurrent.ConcurrentLinkedQueue<Long>();
    try (var rig =
        new ProxyRig(
            "peer(10/200ms)",
            exchange -> {
              instants.add(System.nanoTime());
              ProxyRig.answer(exchange, 200, "ok");
            })) {
      var answers = new ArrayList<CompletableFuture<HttpResponse<String>>>();
      for (int i = 0; i < 45; i++) {
        answers.add(
            rig.client.sendAsync(
                HttpRequest.newBuilder(rig.uri("/" + i)).build(), BodyHandlers.ofString()));
      }
      for (var answer : answers) {
        assertEquals(200, answer.get().statusCode());
      }
      rig.atRest();
    }
    long[] sorted = instants.stream().mapToLong(Long::longValue).sorted().toArray();
    for (int i = 10; i < sorted.length; i++) {
      assertTrue(sorted[i] - sorted[i - 10] >= 200_000_000, "at " + i);
    }
    assertEquals(45, sorted.length);
  }

  /** What an upstream says of its own limit reaches the limiter. */
  @Test
  void aRefusalOfTheUpstreamPausesTheLimiter() throws Exception {
    try (var rig =
        new ProxyRig(
            "100/1s",
            exchange -> {
              exchange.getResponseHeaders().add("Retry-After", "3600");
              ProxyRig.answer(exchange, 429, "slow down");
            })) {
      HttpResponse<String> answer = rig.get("/");
      assertEquals(429, answer.statusCode(), rig.log::toString);
      assertEquals("slow down", answer.body());
      assertTrue(rig.limiter.estimateWait(1).toSeconds() >= 3000);
      assertEquals(1, rig.arrived.get());
    }
  }
}
