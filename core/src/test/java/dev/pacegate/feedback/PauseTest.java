package dev.pacegate.feedback;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Backoff;
import dev.pacegate.Limiter;
import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerPause;
import dev.pacegate.PeerSays;
import dev.pacegate.PeerVerdict;
import dev.pacegate.Permit;
import dev.pacegate.Quota;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** For how long an answer stops requests, and what is told of it. */
class PauseTest extends FeedbackCases {

  @Test
  void aStopOfMoreThanFiveSecondsIsTold() {
    Limiter limiter = limiter("peer(100/1m)");
    answer(limiter, 429, Map.of("Retry-After", "5"));
    assertEquals(List.of(), pauses);
    time.advance(ofSeconds(5));
    answer(limiter, 429, Map.of("Retry-After", "42"));
    assertEquals(1, pauses.size());
    PeerPause pause = pauses.get(0);
    assertEquals("paused for 42s, because the peer refused a request (Retry-After)", pause.text());
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

  /** The pause that was told was negative, or none at all. */
  @ParameterizedTest
  @ValueSource(longs = {1L << 62, Long.MAX_VALUE})
  void aPauseOfCenturiesDoesNotOverflow(long nanos) {
    Limiter limiter = limiter("concurrent(4)");
    var pause = Duration.ofNanos(nanos);
    Backoff backoff = Backoff.standard().withLongest(pause).withPause(pause);
    limiter.heard(take(limiter), PeerAnswer.of(PeerVerdict.REFUSED), backoff);
    assertEquals(pause, refusals.get(0).pause());
    assertTrue(limiter.tryAcquire().isEmpty());
  }

  @Test
  void anAcceptedRequestEndsTheStreak() {
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
  void tokensAreHeededWhileRequestsAreSlower() {
    Limiter limiter = limiter("peer(500/1m) & peer(90000/1m of tokens)");
    answer(limiter, 429, Map.of());
    stop(limiter);
    Permit permit = limiter.tryAcquire(Cost.of("tokens", 1)).orElseThrow();
    Quota spent = Quota.remaining(0).withCost("tokens").withLimit(90_000).withWindow(ofMinutes(1));
    assertEquals(89_999, PeerSays.quota(limiter, permit, spent));
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
    assertEquals(PeerVerdict.REFUSED, pauses.get(0).verdict());
  }

  @Test
  void refusalsOfABurstAreToldOnce() {
    Limiter limiter = limiter("peer(1000/1m)");
    var permits = new ArrayList<Permit>();
    for (int i = 0; i < 500; i++) {
      permits.add(limiter.tryAcquire().orElseThrow());
    }
    for (Permit permit : permits) {
      answer(feedback, limiter, permit, 429, Map.of("Retry-After", "60"));
      time.advance(ofMillis(1));
    }
    assertEquals(1, pauses.size());
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
    assertEquals(PeerVerdict.ACCEPTED, pauses.get(0).verdict());
    assertEquals(
        "paused for 10m, because other clients have used the rest of the peer's quota (reset of day)",
        pauses.get(0).text());
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
      answer(feedback, limiter, permit, status(random), headers(random));
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
