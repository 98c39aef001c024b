package dev.pacegate.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.tck.H2Server;
import dev.pacegate.adapter.tck.RawServer;
import dev.pacegate.feedback.Feedback;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import okhttp3.Call;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Calls that are redirected, refused, cut, stalled, cancelled and timed out at random: what arrives
 * is never above the limit in any interval, and nothing is left open or waiting.
 */
@Timeout(300)
class StormTest {

  private static final int ENOUGH = 6 * Integer.getInteger("pacegate.volume", 100); // arrivals
  private static final int LIMIT = 60;
  private static final int AT_ONCE = 30;
  private static final int ROUNDS = 4; // what one gives back by mistake, the next would use

  private final long seed = Long.getLong("pacegate.seed", System.nanoTime());
  private final SplittableRandom random = new SplittableRandom(seed);
  private final SplittableRandom fates = new SplittableRandom(~seed);

  private long lost;

  private interface Storm {

    /** Returns how many requests arrived. */
    int blow() throws Exception;
  }

  /** What is out of time before it is sent does not arrive: a busy machine needs more storms. */
  private void untilEnoughArrive(Storm storm) throws Exception {
    int arrived = 0;
    for (int i = 0; arrived < ENOUGH; i++) {
      assertTrue(i < 100, "too few arrive, seed " + seed);
      arrived += storm.blow();
    }
    assertTrue(lost > 0, "none is lost, seed " + seed);
  }

  private synchronized int fate() {
    return fates.nextInt(16);
  }

  @Test
  void overHttp1() throws Exception {
    untilEnoughArrive(
        () -> {
          try (var server = new RawServer(this::answer)) {
            return storm(new OkHttpClient(), server.uri("/"), server::arrivals);
          }
        });
  }

  private void answer(RawServer.Received request, RawServer.Connection connection)
      throws IOException {
    switch (fate()) {
      case 0 -> connection.close();
      case 1 -> connection.reset();
      case 2 -> connection.socket().getInputStream().read(); // stalls
      case 3 -> {
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf");
        connection.close();
      }
      case 4 -> connection.status(302, "Location: /");
      case 5 -> connection.status(307, "Location: /");
      case 6 -> connection.status(401);
      case 7 -> connection.status(408);
      case 8 -> connection.status(503, "Retry-After: 0");
      case 9 -> connection.status(429);
      case 10 -> connection.write("nonsense\r\n\r\n");
      default -> connection.ok("hello");
    }
  }

  @Test
  void overHttp2() throws Exception {
    untilEnoughArrive(
        () -> {
          try (var server = new H2Server((arrival, stream) -> answer(stream))) {
            return storm(PermitsTest.h2(), server.uri("/"), server::arrivals);
          }
        });
  }

  private void answer(H2Server.H2Stream stream) throws IOException {
    switch (fate()) {
      case 0 -> stream.socket().close();
      case 1 -> stream.reset(7);
      case 2 -> stream.reset(2);
      case 3 -> {
        stream.half();
        stream.reset(2);
      }
      case 4 -> stream.goAway();
      case 5, 6 -> stream.redirect("/");
      case 7 -> stream.half();
      case 8 -> {} // stalls
      default -> stream.ok("hello");
    }
  }

  private int storm(OkHttpClient plain, URI uri, IntSupplier arrivals) throws Exception {
    // No permit comes back, so it does not matter how late a machine that stalls counts a request:
    // callers wait for those that are under way.
    Limiter limiter = Limiter.of("peer(" + LIMIT + "/1h) & concurrent(8)");
    OkHttpClient client = paced(plain, limiter);
    client.dispatcher().setMaxRequestsPerHost(AT_ONCE);
    for (int round = 0; round < ROUNDS; round++) {
      var calls = new ArrayList<CompletableFuture<String>>();
      for (int i = 0; i < AT_ONCE; i++) {
        calls.add(call(client, uri));
      }
      for (CompletableFuture<String> call : calls) {
        assertKnown(call);
      }
    }
    while (limiter.snapshot().open() > 0) {
      Thread.onSpinWait(); // what was cancelled may still be on its way
    }
    int arrived = arrivals.getAsInt();
    String state = "seed " + seed + ": " + limiter.snapshot() + ", " + arrived;
    assertEquals(0, limiter.snapshot().waiting(), state);
    assertTrue(arrived <= limiter.snapshot().granted(), state);
    assertTrue(arrived <= LIMIT, state);
    lost += limiter.snapshot().lost();
    return arrived;
  }

  private OkHttpClient paced(OkHttpClient plain, Limiter limiter) {
    OkHttpClient.Builder settings =
        plain
            .newBuilder()
            .readTimeout(Duration.ofMillis(200))
            .authenticator(
                (route, response) -> response.priorResponse() == null ? response.request() : null);
    var feedback = Feedback.standard().pause(Duration.ofMillis(2)).maxPause(Duration.ofMillis(20));
    return PacedOkHttp.builder(settings.build())
        .limiter(limiter)
        .feedback(feedback)
        .retryRefused(1)
        .maxWait(Duration.ofMillis(500)) // those who wait when no permit is left
        .build();
  }

  private CompletableFuture<String> call(OkHttpClient client, URI uri) {
    Request.Builder request = new Request.Builder().url(uri.toString());
    if (random.nextInt(3) == 0) {
      request.post(RequestBody.create("body", MediaType.get("text/plain")));
    }
    Call call = client.newCall(request.build());
    if (random.nextInt(4) == 0) {
      CompletableFuture.delayedExecutor(random.nextInt(30), TimeUnit.MILLISECONDS)
          .execute(call::cancel);
    }
    if (random.nextInt(6) == 0) {
      call.timeout().timeout(1 + random.nextInt(100), TimeUnit.MILLISECONDS);
    }
    return Calls.enqueue(call);
  }

  private void assertKnown(CompletableFuture<String> call) throws InterruptedException {
    try {
      assertTrue(List.of("hello", "").contains(call.get()), "seed " + seed);
    } catch (ExecutionException failed) {
      assertInstanceOf(IOException.class, failed.getCause(), "seed " + seed);
    }
  }
}
