package dev.pacegate.feedback;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterListener;
import dev.pacegate.PeerPause;
import dev.pacegate.Permit;
import dev.pacegate.Quota;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Seeds;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** For how long an answer stops requests, and what is told of it. */
class PauseTest {

  private final ManualTime time = ManualTime.manual();
  private final List<PeerPause> pauses = new ArrayList<>();
  private final List<OptionalDouble> rates = new ArrayList<>();

  private Limiter limiter(String limit) {
    var listener =
        new LimiterListener() {
          @Override
          public void onPeerPause(PeerPause pause) {
            pauses.add(pause);
          }

          @Override
          public void onWorkingRate(OptionalDouble perSecond) {
            rates.add(perSecond);
          }
        };
    return Limiter.builder(limit)
        .name("api")
        .time(time)
        .executor(Runnable::run)
        .listener(listener)
        .build();
  }

  private void answer(Limiter limiter, int status, Map<String, String> headers) {
    answer(Feedback.standard(), limiter, status, headers);
  }

  private void answer(Feedback feedback, Limiter limiter, int status, Map<String, String> headers) {
    answer(feedback, limiter, limiter.tryAcquire().orElseThrow(), status, headers);
  }

  private void answer(
      Feedback feedback, Limiter limiter, Permit permit, int status, Map<String, String> headers) {
    var values = new TreeMap<String, List<String>>(String.CASE_INSENSITIVE_ORDER);
    headers.forEach((name, value) -> values.put(name, List.of(value)));
    feedback.apply(limiter, permit, new Answer(status, values, time.instant()));
    permit.answered();
  }

  /** Returns how long no request goes from now on, to a millisecond, and moves on to its end. */
  private Duration stop(Limiter limiter) {
    var before = time.nanoTime();
    Duration step = ofMillis(1);
    while (limiter.estimateWait(1).compareTo(Duration.ZERO) > 0) {
      time.advance(limiter.estimateWait(1).compareTo(step) > 0 ? limiter.estimateWait(1) : step);
    }
    return ofMillis((time.nanoTime() - before) / 1_000_000);
  }

  @Test
  void aStopOfMoreThanFiveSecondsIsTold() {
    Limiter limiter = limiter("peer(100/1m)");
    answer(limiter, 429, Map.of("Retry-After", "5"));
    assertEquals(List.of(), pauses);
    time.advance(ofSeconds(5));
    answer(limiter, 429, Map.of("Retry-After", "42"));
    assertEquals(1, pauses.size());
    PeerPause pause = pauses.get(0);
    assertEquals("paused for 42s, as the peer refused a request (Retry-After)", pause.text());
    assertEquals(time.instant().plusSeconds(42), pause.until());
    assertEquals("api", pause.limiter());
  }

  @Test
  void refusalsWithoutAReasonPauseTwiceAsLongEachTime() {
    Limiter limiter = limiter("peer(1000/1m)");
    for (int seconds : new int[] {1, 2, 4, 8, 16, 32, 60, 60}) {
      answer(limiter, 429, Map.of());
      assertEquals(ofSeconds(seconds), stop(limiter));
      time.advance(ofSeconds(10)); // the pace at the least rate
    }
  }

  @Test
  void anAcceptedRequestEndsTheRow() {
    Limiter limiter = limiter("peer(1000/1m)");
    answer(limiter, 429, Map.of());
    stop(limiter);
    time.advance(ofSeconds(10));
    answer(limiter, 200, Map.of());
    time.advance(ofSeconds(10));
    answer(limiter, 429, Map.of());
    assertEquals(ofSeconds(1), stop(limiter));
  }

  @Test
  void anOverloadPausesAndLowersNothing() {
    Limiter limiter = limiter("peer(1000/1m)");
    answer(limiter, 503, Map.of());
    assertEquals(ofSeconds(1), stop(limiter));
    answer(limiter, 503, Map.of());
    assertEquals(ofSeconds(2), stop(limiter));
    assertTrue(limiter.snapshot().workingRate().isEmpty());
    assertEquals(List.of(), rates);
  }

  @Test
  void aRefusalLowersTheRateAndCleanIntervalsRaiseIt() {
    Limiter limiter = limiter("peer(100/1s)");
    for (int i = 0; i < 60; i++) {
      answer(limiter, 200, Map.of());
    }
    answer(limiter, 429, Map.of());
    assertEquals(51, limiter.snapshot().workingRate().orElseThrow(), 0.01);
    assertEquals(
        "evenly at 51.0 a second, as the peer has refused requests", bottleneckAfterPause(limiter));
    double before = 0;
    while (limiter.snapshot().workingRate().isPresent()) {
      double rate = limiter.snapshot().workingRate().orElseThrow();
      assertTrue(rate >= before && rate <= 100, () -> "" + rate);
      before = rate;
      time.advance(ofSeconds(1));
    }
    answer(limiter, 200, Map.of());
    assertEquals(2, rates.size());
    assertTrue(rates.get(1).isEmpty());
  }

  /** A brake that counts each unit of a request would hold the next one for hours. */
  @Test
  void aCostlyRequestHoldsTheNextForTenMinutesAtMost() {
    Limiter limiter = limiter("peer(5000/5m)");
    for (int i = 0; i < 6; i++) {
      answer(limiter, 429, Map.of("Retry-After", "1"));
      time.advance(ofMinutes(5));
    }
    Permit costly = limiter.tryAcquire(4000).orElseThrow();
    costly.answered();
    assertTrue(stop(limiter).compareTo(ofMinutes(10)) <= 0);
  }

  @Test
  void aWaiterOfALoweredRateGoesAsSoonAsItHasRisen() {
    Limiter limiter = limiter("peer(100/1s)");
    for (int i = 0; i < 6; i++) {
      answer(limiter, 429, Map.of());
      stop(limiter);
      time.advance(ofSeconds(1));
    }
    limiter.tryAcquire(90).orElseThrow().answered();
    CompletableFuture<Permit> waiter = limiter.acquireAsync(1);
    while (limiter.snapshot().workingRate().orElseThrow() < 100) {
      assertTrue(time.nanoTime() < ofMinutes(1).toNanos());
      time.advance(ofMillis(100));
    }
    time.advance(ofSeconds(1)); // 90 at the rate of the limit take less
    assertTrue(limiter.snapshot().workingRate().isPresent());
    assertTrue(waiter.isDone());
    waiter.join().answered();
  }

  @Test
  void theWaitAtALoweredRateIsKnown() {
    Limiter limiter = limiter("peer(100/1s)");
    answer(limiter, 429, Map.of());
    stop(limiter);
    limiter.tryAcquire(50).orElseThrow().answered();
    assertTrue(limiter.estimateWait(1).compareTo(ofMillis(500)) > 0);
    CompletableFuture<Permit> place = limiter.acquireAsync(1, ofMillis(100));
    assertTrue(place.isCompletedExceptionally());
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 429})
  void noQuotaPausesForLongerThanTheLongestPause(int status) {
    Map<String, String> spent =
        Map.of("X-RateLimit-Limit", "10", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "600");
    Limiter bounded = limiter("peer(10/1s)");
    answer(Feedback.standard().maxPause(ofSeconds(2)), bounded, status, spent);
    assertTrue(stop(bounded).compareTo(ofSeconds(3)) <= 0);
  }

  @Test
  void aQuotaPausesForTheIntervalAtMostButAMinute() {
    Limiter limiter = limiter("peer(10/1s)");
    answer(
        limiter,
        200,
        Map.of(
            "X-RateLimit-Limit", "10", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "600"));
    assertTrue(stop(limiter).compareTo(ofSeconds(61)) <= 0);
  }

  @Test
  void otherLimitsOfThePeerChangeNoRate() {
    Limiter limiter = limiter("peer(20/1s)");
    Map<String, String> stated = Map.of("X-RateLimit-Limit", "9", "X-RateLimit-Remaining", "0");
    for (int i = 0; i < 10; i++) {
      answer(limiter, 200, Map.of());
    }
    answer(limiter, 429, stated);
    double rate = limiter.snapshot().workingRate().orElseThrow();
    stop(limiter);
    answer(limiter, 200, Map.of("x-ratelimit-limit-tokens", "90000"));
    answer(
        limiter,
        200,
        Map.of("RateLimit-Policy", "\"h\";q=5000;w=3600", "RateLimit", "\"h\";r=4000;t=60"));
    assertEquals(rate, limiter.snapshot().workingRate().orElseThrow(), rate / 2);
    assertTrue(limiter.snapshot().workingRate().isPresent());
  }

  @Test
  void aLimitOfADayHasNoWorkingRate() {
    Limiter limiter = limiter("peer(5000/1d)");
    answer(limiter, 429, Map.of("Retry-After", "1"));
    stop(limiter);
    for (int i = 0; i < 100; i++) {
      answer(limiter, 200, Map.of());
    }
    assertTrue(limiter.snapshot().workingRate().isEmpty());
  }

  @Test
  void aRefusalForTokensLowersNoRateOfRequests() {
    Limiter limiter = limiter("peer(500/1m) & peer(90000/1m of tokens)");
    answer(
        limiter,
        429,
        Map.of(
            "x-ratelimit-limit-requests", "500",
            "x-ratelimit-remaining-requests", "499",
            "x-ratelimit-limit-tokens", "90000",
            "x-ratelimit-remaining-tokens", "0",
            "retry-after-ms", "200"));
    assertTrue(limiter.snapshot().workingRate().isEmpty());
  }

  @Test
  void tokensAreHeededWhileRequestsAreSlower() {
    Limiter limiter = limiter("peer(500/1m) & peer(90000/1m of tokens)");
    answer(limiter, 429, Map.of());
    stop(limiter);
    Permit permit = limiter.tryAcquire(Cost.of("tokens", 1)).orElseThrow();
    Quota spent = Quota.remaining(0).withCost("tokens").withLimit(90_000).withWindow(ofMinutes(1));
    assertEquals(89_999, limiter.peerCounted(permit, spent));
    permit.answered();
  }

  @Test
  void aRefusalWithAQuotaIsARefusal() {
    Limiter limiter = limiter("peer(10/1m)");
    answer(
        limiter,
        429,
        Map.of("X-RateLimit-Limit", "10", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "30"));
    assertEquals(1, pauses.size());
    assertEquals(PeerPause.Reason.REFUSED, pauses.get(0).reason());
  }

  @Test
  void refusalsOfABurstAreToldOnce() {
    Limiter limiter = limiter("peer(1000/1m)");
    var permits = new ArrayList<Permit>();
    for (int i = 0; i < 500; i++) {
      permits.add(limiter.tryAcquire().orElseThrow());
    }
    for (Permit permit : permits) {
      answer(Feedback.standard(), limiter, permit, 429, Map.of("Retry-After", "60"));
      time.advance(ofMillis(1));
    }
    assertEquals(1, pauses.size());
  }

  /** A refused request out of few says little: the next is not to wait for hours. */
  @Test
  void aProgramThatSendsLittleGoesOnAtHalfItsRate() {
    Limiter limiter = limiter("peer(100/1s)");
    answer(limiter, 429, Map.of());
    assertEquals(42.5, limiter.snapshot().workingRate().orElseThrow(), 0.01);
  }

  @Test
  void aRefusalOfARareRequestLowersNothing() {
    Limiter limiter = limiter("peer(5/1h)");
    for (int i = 0; i < 4; i++) {
      answer(limiter, 429, Map.of());
      assertTrue(limiter.snapshot().workingRate().isEmpty());
      assertTrue(stop(limiter).compareTo(Duration.ofMinutes(10)) <= 0);
    }
  }

  private String bottleneckAfterPause(Limiter limiter) {
    stop(limiter);
    Optional<Permit> permit = limiter.tryAcquire();
    while (permit.isPresent()) {
      permit.get().answered();
      permit = limiter.tryAcquire();
    }
    return limiter.bottleneck().orElseThrow().reason();
  }

  @Test
  void withoutLearningNeitherRateNorPauseChanges() {
    Limiter limiter = limiter("peer(1000/1m)");
    for (int i = 0; i < 5; i++) {
      answer(Feedback.standard().withoutLearning(), limiter, 429, Map.of());
      assertEquals(ofSeconds(1), stop(limiter));
    }
    assertTrue(limiter.snapshot().workingRate().isEmpty());
  }

  /**
   * The quota of a day says that nothing is left for hours; no accepted answer stops for so long.
   */
  @Test
  void anAcceptedAnswerStopsForTenMinutesAtMost() {
    Limiter limiter = limiter("peer(5000/1d)");
    answer(
        limiter,
        200,
        Map.of("RateLimit-Policy", "\"day\";q=5000;w=86400", "RateLimit", "\"day\";r=0;t=40000"));
    assertEquals(ofMinutes(10), stop(limiter));
    assertEquals(PeerPause.Reason.QUOTA_SPENT, pauses.get(0).reason());
    assertEquals("reset of day", pauses.get(0).source());
  }

  /** The same number, but of a second: only that second is waited for. */
  @Test
  void aQuotaWithoutAWindowStopsUntilItsReset() {
    Limiter limiter = limiter("peer(10/1m)");
    var second = Map.of("X-RateLimit-Limit", "10", "X-RateLimit-Remaining", "0");
    var reset = new HashMap<>(second);
    reset.put("X-RateLimit-Reset", "1");
    answer(limiter, 200, reset);
    assertEquals(ofSeconds(1), stop(limiter));
  }

  @Test
  void tokensAreHeededByTheTermThatCountsThem() {
    Limiter limiter = limiter("peer(60/1m & 1000/1m of tokens)");
    answer(
        limiter,
        200,
        Map.of(
            "RateLimit-Policy", "\"t\";q=1000;w=60;qu=\"tokens\"",
            "RateLimit", "\"t\";r=0;t=6"));
    assertTrue(limiter.tryAcquire(Cost.of("tokens", 1)).isEmpty());
    limiter.tryAcquire().orElseThrow().answered();
  }

  /** Whatever a peer answers: no exception, no stop beyond the bound, and never above the limit. */
  @Test
  void aHostilePeer() {
    Seeds.forEach(
        20,
        random -> {
          Limiter limiter = limiter("peer(10/1m)");
          Feedback feedback = Feedback.standard().maxPause(ofMinutes(2));
          for (int i = 0; i < 500; i++) {
            answer(feedback, limiter, status(random), headers(random));
            int seconds = 0; // the pause, and then the pace of the least rate
            for (; limiter.bottleneck().isPresent(); seconds++) {
              time.advance(ofSeconds(1));
            }
            assertTrue(seconds <= 120 + 192 + 60, "stopped for " + seconds + " s");
          }
        });
  }

  /** No answer makes requests go sooner, and none is kept. */
  @Test
  @Tag("heavy")
  void aMillionHostileAnswers() {
    Seeds.forEach(1, this::aMillionHostileAnswers);
  }

  private void aMillionHostileAnswers(SplittableRandom random) {
    Limiter limiter = Limiter.builder("peer(10/1m)").name("api").time(time).build();
    long[] starts = new long[10];
    long used = 0;
    for (int i = 0; i < 1_000_000; i++) {
      Permit permit = next(limiter);
      assertTrue(i < 10 || time.nanoTime() - starts[i % 10] >= ofMinutes(1).toNanos());
      starts[i % 10] = time.nanoTime();
      answer(Feedback.standard(), limiter, permit, status(random), headers(random));
      if (i == 100_000) {
        used = usedMemory();
      }
    }
    long more = usedMemory() - used;
    assertTrue(more < 4_000_000, () -> more + " bytes more after 900 000 further answers");
    assertEquals(0, limiter.snapshot().open());
    assertEquals(0, limiter.snapshot().waiting());
  }

  private Permit next(Limiter limiter) {
    Optional<Permit> permit = limiter.tryAcquire();
    while (permit.isEmpty()) {
      time.advance(ofSeconds(1));
      permit = limiter.tryAcquire();
    }
    return permit.get();
  }

  private static long usedMemory() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  private static int status(SplittableRandom random) {
    int[] statuses = {
      200, 200, 204, 301, 403, 418, 429, 429, 500, 503, 529, 100 + random.nextInt(900)
    };
    return statuses[random.nextInt(statuses.length)];
  }

  private static Map<String, String> headers(SplittableRandom random) {
    String[] names = {
      "Retry-After",
      "RateLimit",
      "RateLimit-Policy",
      "RateLimit-Limit",
      "RateLimit-Remaining",
      "RateLimit-Reset",
      "X-RateLimit-Limit",
      "X-RateLimit-Remaining",
      "X-RateLimit-Reset",
      "retry-after-ms",
      "X-MBX-USED-WEIGHT-1M",
      "Date"
    };
    String[] values = {
      "0",
      "-1",
      "1",
      "10",
      "60",
      "10, 10;w=60",
      "\"a\";q=10;w=60",
      "\"a\";r=0;t=99999999",
      "limit=10, remaining=0, reset=60",
      "9999999999999999999999",
      "1e9",
      "NaN",
      "",
      "\u0000;;,=",
      "Wed, 01 Apr 1970 00:00:00 GMT",
      "1970-01-01T00:01:00Z",
      "6m0s",
      "20ms",
      "" + random.nextInt()
    };
    var headers = new HashMap<String, String>();
    for (int i = random.nextInt(5); i > 0; i--) {
      headers.put(names[random.nextInt(names.length)], values[random.nextInt(values.length)]);
    }
    return headers;
  }
}
