package dev.pacegate.feedback;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What lowers a working rate, what raises it, and what is told of it. */
class WorkingRateTest extends FeedbackCases {

  private static final Map<String, String> FIFTY = Map.of("X-RateLimit-Limit", "50");
  private static final Map<String, String> THOUSAND = Map.of("X-RateLimit-Limit", "1000");

  private static double rate(Limiter limiter) {
    return limiter.snapshot().workingRate().orElseThrow();
  }

  /** Returns how many requests are accepted until {@code seconds} are over. */
  private int send(Limiter limiter, int seconds, Map<String, String> headers) {
    int sent = 0;
    for (int i = 0; i < 1000 * seconds; i++) {
      Optional<Permit> permit = limiter.tryAcquire();
      if (permit.isPresent()) {
        answer(feedback, limiter, permit.get(), 200, headers);
        sent++;
      }
      time.advance(ofMillis(1));
    }
    return sent;
  }

  /** Refuses the 51st request, and says that the limit is 50. */
  private Limiter refusedAtFifty() {
    Limiter limiter = limiter("peer(100/1s)");
    for (int i = 0; i < 50; i++) {
      answer(limiter, 200, Map.of());
    }
    answer(limiter, 429, Map.of("X-RateLimit-Limit", "50", "X-RateLimit-Remaining", "0"));
    assertEquals(42.5, rate(limiter), 0.01);
    return limiter;
  }

  /** It may be that of another route, or of a second limit with the same name. */
  @Test
  void anotherStatedNumberRaisesNothingAtOnce() {
    Limiter limiter = refusedAtFifty();
    time.advance(ofSeconds(10));
    assertEquals(48.5, rate(limiter), 0.01);
    answer(limiter, 200, THOUSAND);
    assertEquals(48.5, rate(limiter), 0.01);
    time.advance(ofMillis(900));
    assertEquals(48.5, rate(limiter), 0.01);
  }

  @Test
  void anotherStatedNumberEndsTheLongStay() {
    Limiter limiter = refusedAtFifty();
    time.advance(ofSeconds(10));
    answer(limiter, 200, THOUSAND);
    time.advance(ofSeconds(5));
    assertEquals(100, rate(limiter), 0.01);
  }

  @Test
  void withoutAnotherStatedNumberTheRateStaysForLong() {
    Limiter limiter = refusedAtFifty();
    time.advance(ofSeconds(10));
    answer(limiter, 200, FIFTY);
    time.advance(ofSeconds(5));
    assertEquals(48.5, rate(limiter), 0.01);
  }

  /** Each second value of the header would otherwise hold the rate where it is. */
  @Test
  void statedNumbersThatAlternateDoNotHoldTheRate() {
    Limiter limiter = refusedAtFifty();
    time.advance(ofSeconds(1));
    for (int i = 0; i < 12; i++) {
      answer(limiter, 200, THOUSAND);
      time.advance(ofMillis(500));
      answer(limiter, 200, FIFTY);
      time.advance(ofMillis(500));
    }
    assertTrue(limiter.snapshot().workingRate().orElse(100) >= 99.9);
  }

  @Test
  void aNumberStatedAfterItsEndLowersNothing() {
    Limiter limiter = refusedAtFifty();
    time.advance(ofSeconds(60));
    assertTrue(limiter.snapshot().workingRate().isEmpty());
    answer(limiter, 200, Map.of("X-RateLimit-Limit", "9"));
    assertTrue(limiter.snapshot().workingRate().isEmpty());
  }

  /** At the limit again, requests go evenly: a refusal from long ago does not let a burst go. */
  @Test
  void aRefusalOfAnOldRequestLetsNoBurstGo() {
    Limiter limiter = limiter("peer(100/1s)");
    Permit slow = limiter.tryAcquire().orElseThrow();
    answer(limiter, 429, Map.of("Retry-After", "1"));
    while (limiter.snapshot().workingRate().orElseThrow() < 100) {
      time.advance(ofMillis(100));
    }
    answer(feedback, limiter, slow, 429, Map.of("Retry-After", "1"));
    time.advance(ofSeconds(1));
    assertEquals(100, rate(limiter), 0.01);
    assertTrue(limiter.tryAcquire().isPresent());
    assertTrue(limiter.tryAcquire().isPresent()); // a late thread catches up
    assertTrue(limiter.tryAcquire().isEmpty());
  }

  /** A request that cost much at a low rate holds the others only until the rate has risen. */
  @Test
  void aCostlyRequestHoldsTheOthersAsTheLimitDoesAtMost() {
    Limiter limiter = limiter("peer(100/1s)");
    for (int i = 0; i < 6; i++) {
      answer(limiter, 429, Map.of("Retry-After", "1"));
      time.advance(ofMillis(2_100));
    }
    limiter.tryAcquire(90).orElseThrow().answered();
    assertTrue(limiter.estimateWait(1).toSeconds() >= 5, () -> "" + limiter.estimateWait(1));
    while (rate(limiter) < 100) {
      time.advance(ofMillis(10));
    }
    time.advance(ofMillis(900));
    assertEquals(0, limiter.estimateWait(1).toNanos());
  }

  /** A bucket lets through its burst once, and then what its rate is. */
  @Test
  void theRateIsThatOfTheLongRun() {
    Limiter limiter = limiter("peer(bucket(10/1s, burst=100000))");
    time.advance(ofSeconds(10));
    answer(limiter, 429, Map.of("Retry-After", "1"));
    while (limiter.snapshot().workingRate().isPresent()) {
      assertTrue(rate(limiter) <= 10, () -> "" + rate(limiter));
      time.advance(ofSeconds(1));
    }
  }

  @Test
  void aLimitWithoutAWorkingRateEndsIt() {
    Limiter limiter = limiter("peer(100/1s)");
    answer(limiter, 429, Map.of("Retry-After", "1"));
    time.advance(ofSeconds(1));
    assertEquals(1, rates.size());
    limiter.setLimit("peer(1000/1d)");
    answer(limiter, 200, Map.of());
    assertEquals(2, rates.size());
    assertTrue(rates.get(1).isEmpty());
  }

  @Test
  void anotherLimitKeepsTheRateAndIsNotLoweredTwice() {
    Limiter limiter = limiter("peer(100/1s)");
    Permit first = limiter.tryAcquire().orElseThrow();
    Permit second = limiter.tryAcquire().orElseThrow();
    answer(feedback, limiter, first, 429, Map.of("Retry-After", "1"));
    double before = rate(limiter);
    limiter.setLimit("peer(200/1s)");
    assertEquals(before, rate(limiter), 0.01);
    answer(feedback, limiter, second, 429, Map.of("Retry-After", "1"));
    assertEquals(before, rate(limiter), 0.01);
  }

  @Test
  void atTheRateRequestsGoEvenly() {
    Limiter limiter = refusedAtFifty();
    time.advance(ofSeconds(4));
    int sent = send(limiter, 2, FIFTY);
    assertTrue(sent >= 96 && sent <= 99, () -> "" + sent);
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
        "slowed down to 51 requests a second, because the peer has refused requests",
        bottleneckAfterPause(limiter));
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

  @Test
  void withoutLearningNeitherRateNorPauseChanges() {
    Limiter limiter = limiter("peer(1000/1m)");
    for (int i = 0; i < 5; i++) {
      answer(Feedback.standard().withoutLearning(), limiter, 429, Map.of());
      assertEquals(ofSeconds(1), stop(limiter));
    }
    assertTrue(limiter.snapshot().workingRate().isEmpty());
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
}
