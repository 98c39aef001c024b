package dev.pacegate.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterListener;
import dev.pacegate.limit.Cost;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * nginx, whose {@code limit_req} refuses what comes before the last one is due, to the millisecond,
 * refuses nobody who is paced.
 */
@Tag("servers")
@Timeout(300)
class NginxTest {

  @TempDir Path folder;

  /** How requests fared: how many were refused, and in what time all were done. */
  private record Result(long refused, double seconds) {}

  private static Result send(HttpClient client, Nginx nginx, int requests, LongAdder answered) {
    HttpRequest request = HttpRequest.newBuilder(nginx.uri()).build();
    long start = System.nanoTime();
    var answers = new ArrayList<CompletableFuture<HttpResponse<Void>>>();
    for (int i = 0; i < requests; i++) {
      answers.add(
          client
              .sendAsync(request, BodyHandlers.discarding())
              .whenComplete((answer, failure) -> answered.add(System.nanoTime())));
    }
    List<Integer> statuses = answers.stream().map(answer -> answer.join().statusCode()).toList();
    double seconds = (System.nanoTime() - start) / 1e9;
    assertEquals(0, statuses.stream().filter(status -> status != 200 && status != 429).count());
    return new Result(statuses.stream().filter(status -> status == 429).count(), seconds);
  }

  private static LimiterListener onRelease(LongAdder released) {
    return new LimiterListener() {
      @Override
      public void onRelease(Cost cost, long instant, long waited) {
        released.add(instant);
      }
    };
  }

  @ParameterizedTest
  @CsvSource({
    "peer(spacing(20ms)),              50r/s,  '', 2000, 0.020",
    "'peer(bucket(200/1s, burst=20))', 200r/s, 'burst=20 nodelay', 4000, 0.005"
  })
  void refusesNobodyWhoIsPaced(
      String limit, String rate, String limitReq, int requests, double interval) throws Exception {
    var released = new LongAdder(); // the sum of instants, of releases and of answers
    var answered = new LongAdder();
    Limiter limiter = Limiter.builder(limit).listener(onRelease(released)).build();
    PacedHttpClient client =
        PacedHttpClient.builder(HttpClient.newBuilder().version(Version.HTTP_1_1))
            .limiter(limiter)
            .build();
    try (var nginx = new Nginx(folder, rate, limitReq)) {
      Result result = send(client, nginx, requests, answered);

      double answerTime = 1e-9 * (answered.sum() - released.sum()) / requests;
      double fastest = requests * (interval + (limit.contains("spacing") ? answerTime : 0));
      System.out.printf(
          "%s against %s %s: %d requests, %d refused, %.2f s, answers took %.2f ms, %.1f %%%n",
          limit,
          rate,
          limitReq,
          requests,
          result.refused(),
          result.seconds(),
          1e3 * answerTime,
          100 * fastest / result.seconds());
      assertEquals(0, result.refused());
      assertTrue(fastest / result.seconds() >= 0.9, () -> "too slow: " + result);
    }
  }

  @Test
  void refusesWhoIsNot() throws Exception {
    try (var nginx = new Nginx(folder, "50r/s", "")) {
      HttpClient client = HttpClient.newBuilder().version(Version.HTTP_1_1).build();

      assertTrue(send(client, nginx, 100, new LongAdder()).refused() > 0);
    }
  }
}
