package dev.pacegate.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterListener;
import dev.pacegate.limit.Cost;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;

/**
 * What a server that refuses clients that are too fast makes of a client, paced or not.
 *
 * @param limit the client's
 * @param requests how many were sent
 * @param refused how many were refused
 * @param seconds how long all of them took
 * @param answer how long an answer took, on average, in seconds
 */
record Trial(String limit, int requests, long refused, double seconds, double answer) {

  /** How often a run may be too slow, as machines are busy, before it counts. */
  private static final int TRIES = 3;

  /** Sends as many requests as possible, as fast as the limit allows. */
  static Trial paced(String limit, URI uri, int requests) {
    var released = new LongAdder(); // the sum of instants
    var answered = new LongAdder();
    Limiter limiter = Limiter.builder(limit).listener(summing(released)).build();
    PacedHttpClient client = PacedHttpClient.builder(plain()).limiter(limiter).build();
    HttpRequest request = HttpRequest.newBuilder(uri).build();
    long start = System.nanoTime();
    var answers = new ArrayList<CompletableFuture<HttpResponse<Void>>>();
    for (int i = 0; i < requests; i++) {
      answers.add(
          client
              .sendAsync(request, BodyHandlers.discarding())
              .whenComplete((answer, failure) -> answered.add(System.nanoTime())));
    }
    long refused = answers.stream().filter(answer -> isRefused(answer.join())).count();
    double seconds = (System.nanoTime() - start) / 1e9;
    double answerTime = 1e-9 * (answered.sum() - released.sum()) / requests;
    return new Trial(limit, requests, refused, seconds, answerTime);
  }

  /** The same client without a limit, from some threads, lest each request has a connection. */
  static Trial unpaced(URI uri, int requests) throws Exception {
    HttpClient client = plain().build();
    HttpRequest request = HttpRequest.newBuilder(uri).build();
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      var calls = new ArrayList<Callable<HttpResponse<Void>>>();
      for (int i = 0; i < requests; i++) {
        calls.add(() -> client.send(request, BodyHandlers.discarding()));
      }
      long start = System.nanoTime();
      long refused = 0;
      for (Future<HttpResponse<Void>> answer : threads.invokeAll(calls)) {
        refused += isRefused(answer.get()) ? 1 : 0;
      }
      return new Trial("no limit", requests, refused, (System.nanoTime() - start) / 1e9, 0);
    } finally {
      threads.shutdownNow();
    }
  }

  /**
   * Sends paced: none is refused.
   *
   * @param fastest the shortest time, in seconds, in which the limit lets all requests through
   * @param share what part of that speed must be reached, once in a few tries
   */
  static void compare(
      String server,
      String limit,
      URI uri,
      int requests,
      ToDoubleFunction<Trial> fastest,
      double share)
      throws Exception {
    double best = 0;
    for (int i = 0; i < TRIES && best < Math.max(share, 1e-9); i++) {
      Trial paced = paced(limit, uri, requests);
      double reached = fastest.applyAsDouble(paced) / paced.seconds;
      System.out.printf("%s: %s, %.1f %% of what is possible%n", server, paced, 100 * reached);
      assertEquals(0, paced.refused, server + ": " + paced);
      best = Math.max(best, reached);
    }
    assertTrue(best >= share, server + ": too slow, " + best);
  }

  /** Sends unpaced: some are refused. */
  static void refused(String server, URI uri, int requests) throws Exception {
    Trial unpaced = unpaced(uri, requests);
    System.out.printf("%s: %s%n", server, unpaced);
    assertTrue(unpaced.refused > 0, server + " refuses no request");
  }

  private static HttpClient.Builder plain() {
    return HttpClient.newBuilder().version(Version.HTTP_1_1);
  }

  private static boolean isRefused(HttpResponse<Void> answer) {
    int status = answer.statusCode();
    assertTrue(status == 200 || status == 204 || status == 429, "status " + status);
    return status == 429;
  }

  private static LimiterListener summing(LongAdder released) {
    return new LimiterListener() {
      @Override
      public void onRelease(Cost cost, long instant, long waited) {
        released.add(instant);
      }
    };
  }

  @Override
  public String toString() {
    return String.format(
        "%s: %d requests, %d refused, in %.2f s, answers took %.2f ms",
        limit, requests, refused, seconds, 1e3 * answer);
  }
}
