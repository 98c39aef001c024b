package dev.pacegate.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.tck.RawServer;
import dev.pacegate.feedback.Feedback;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.DefaultHttpRequestRetryStrategy;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Whatever happens to requests, no interval has more arrivals than the limit. */
@org.junit.jupiter.api.Timeout(value = 240, threadMode = ThreadMode.SEPARATE_THREAD)
class StormTest extends ApacheCases {

  private static final int MOST = 60;
  private static final Duration INTERVAL = Duration.ofMillis(100);
  private static final List<String> FATES =
      List.of(
          "/ok", "/ok", "/302", "/302", "/503", "/503", "/429", "/401", "/close", "/cut", "/stall");

  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);

  // On a busy machine a lost request may arrive late; in the end most permits are lost ones.
  private final Limiter storm =
      Limiter.of("peer(" + MOST + "/100ms, unanswered=10s) & concurrent(4)");

  private static void answer(RawServer.Received request, RawServer.Connection connection)
      throws IOException {
    switch (request.path()) {
      case "/302" -> connection.status(302, "Location: /ok");
      case "/503" -> connection.status(503);
      case "/429" -> connection.status(429);
      case "/401" -> connection.status(401, "WWW-Authenticate: Basic realm=\"a\"");
      case "/close" -> connection.close();
      case "/cut" -> {
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello");
        connection.close();
      }
      case "/stall" -> {}
      default -> connection.ok("hello");
    }
  }

  private CloseableHttpClient client() {
    HttpClientBuilder impatient =
        plain()
            .setRetryStrategy(new DefaultHttpRequestRetryStrategy(1, TimeValue.ofMilliseconds(1)))
            .setDefaultRequestConfig(
                RequestConfig.custom().setResponseTimeout(Timeout.ofMilliseconds(20)).build());
    return PacedApache.builder(impatient)
        .limiter(storm)
        .feedback(Feedback.standard().pause(Duration.ofMillis(10)))
        .retryRefused(1)
        .build();
  }

  @Test
  void noIntervalHasMoreArrivalsThanTheLimit() throws Exception {
    RawServer server = server(StormTest::answer);
    pool.setDefaultMaxPerRoute(3); // fewer than threads, so that some wait for connections too
    CloseableHttpClient client = client();
    ExecutorService threads = Executors.newFixedThreadPool(8);
    toClose.add(threads::shutdownNow);
    List<Future<Boolean>> sent = new ArrayList<>();
    for (int i = 0; i < 120; i++) {
      var request = new HttpGet(server.uri(FATES.get(random.nextInt(FATES.size()))));
      sent.add(threads.submit(send(client, request)));
      if (random.nextInt(8) == 0) {
        threads.execute(request::cancel);
      }
    }
    int answered = 0;
    for (Future<Boolean> each : sent) {
      answered += each.get() ? 1 : 0;
    }
    assertTrue(answered > 20, () -> "seed " + seed);
    assertEquals(0, storm.snapshot().open(), () -> "seed " + seed);
    assertEquals(0, storm.snapshot().waiting(), () -> "seed " + seed);
    assertEquals(0, pool.getTotalStats().getLeased(), () -> "seed " + seed);
    assertWithin(server.instants());
    assertTrue(server.arrivals() <= storm.snapshot().granted(), () -> "seed " + seed);
  }

  private static Callable<Boolean> send(CloseableHttpClient client, HttpGet request) {
    return () -> {
      try {
        client.execute(request, response -> EntityUtils.toString(response.getEntity(), 100));
        return true;
      } catch (IOException failed) {
        return false;
      } catch (IllegalStateException failed) { // HttpClient's own, of its pool or endpoint
        if (!request.isCancelled()) {
          throw failed;
        }
        return false;
      }
    };
  }

  private void assertWithin(List<Long> arrivals) {
    for (int i = MOST; i < arrivals.size(); i++) {
      long span = arrivals.get(i) - arrivals.get(i - MOST);
      assertTrue(
          span >= INTERVAL.toNanos(),
          (MOST + 1) + " in " + TimeUnit.NANOSECONDS.toMicros(span) + " us, seed " + seed);
    }
  }
}
