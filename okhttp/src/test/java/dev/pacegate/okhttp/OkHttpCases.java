package dev.pacegate.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.Limiter;
import dev.pacegate.feedback.Feedback;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.Timeout;

/** A limiter, a client that is paced by it, and what the tests ask of both. */
@Timeout(60)
abstract class OkHttpCases {

  final Limiter limiter = Limiter.of("peer(1000/1h)");

  PacedOkHttp paced(OkHttpClient client) {
    return PacedOkHttp.builder(client)
        .limiter(limiter)
        .feedback(Feedback.standard().pause(Duration.ofMillis(20)));
  }

  PacedOkHttp paced() {
    return paced(new OkHttpClient());
  }

  static Request request(URI uri) {
    return new Request.Builder().url(uri.toString()).build();
  }

  static Call call(PacedOkHttp options, URI uri) {
    return options.build().newCall(request(uri));
  }

  static String get(PacedOkHttp options, URI uri) throws IOException {
    return get(options.build(), uri);
  }

  static String get(OkHttpClient client, URI uri) throws IOException {
    try (Response response = client.newCall(request(uri)).execute()) {
      return response.body().string();
    }
  }

  void awaitWaiting(int waiting) {
    while (limiter.snapshot().waiting() != waiting) {
      Thread.onSpinWait();
    }
  }

  void awaitOpen(int open) {
    while (limiter.snapshot().open() != open) {
      Thread.onSpinWait();
    }
  }

  /** Each of the arrivals has a permit, and none is open or lost. */
  void assertPermits(int arrivals) {
    assertEquals(arrivals, limiter.snapshot().granted());
    assertEquals(0, limiter.snapshot().open());
    assertEquals(0, limiter.snapshot().waiting());
    assertEquals(0, limiter.snapshot().lost());
  }
}
