package dev.pacegate.feedback;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which of several terms a refusal is about. */
class WorkingRatesTest extends FeedbackCases {

  private static final Map<String, String> NOTHING = Map.of();
  private static final double SHORT = 8.5; // 0.85 of half of 20/1s
  private static final double LONG = 0.85; // 0.85 of half of 60/30s

  private final Limiter limiter = limiter("peer(20/1s) & peer(60/30s)");

  private double rate() {
    return limiter.snapshot().workingRate().orElse(100);
  }

  private static Map<String, String> usedUp(long max, long seconds) {
    return Map.of(
        "RateLimit-Policy", "\"a\";q=" + max + ";w=" + seconds, "RateLimit", "\"a\";r=0;t=1");
  }

  @Test
  void aQuotaThatNamesTheLongerTermLowersIt() {
    answer(limiter, 429, usedUp(60, 30));
    assertEquals(LONG, rate(), 0.01);
  }

  @Test
  void aQuotaThatNamesTheShorterTermLowersIt() {
    answer(limiter, 429, usedUp(20, 1));
    assertEquals(SHORT, rate(), 0.01);
    stop(limiter);
    time.advance(ofSeconds(1));
    answer(limiter, 429, usedUp(20, 1));
    assertTrue(rate() > 2, () -> "" + rate());
  }

  @Test
  void aQuotaThatNamesNoTermLowersNothing() {
    answer(limiter, 429, usedUp(1000, 3600));
    assertTrue(limiter.snapshot().workingRate().isEmpty());
  }

  @Test
  void aWaitThatTheShorterTermDoesNotExplainLowersTheLonger() {
    answer(limiter, 429, Map.of("Retry-After", "2"));
    assertEquals(LONG, rate(), 0.01);
  }

  @Test
  void aWaitLongerThanAllTermsLowersTheLongest() {
    answer(limiter, 429, Map.of("Retry-After", "45"));
    assertEquals(LONG, rate(), 0.01);
  }

  /** A peer rounds up. */
  @Test
  void aWaitOfAShorterTermLowersIt() {
    answer(limiter, 429, Map.of("Retry-After", "1"));
    assertEquals(SHORT, rate(), 0.01);
  }

  /** The longer one would keep it slow for minutes. */
  @Test
  void aRefusalThatHappensOnceIsOverAfterAFewShortIntervals() {
    answer(limiter, 429, NOTHING);
    assertEquals(SHORT, rate(), 0.01);
    time.advance(ofSeconds(15));
    assertTrue(limiter.snapshot().workingRate().isEmpty());
  }

  @Test
  void aRefusalAtALoweredRateLowersTheLongerTerm() {
    answer(limiter, 429, NOTHING);
    stop(limiter);
    time.advance(ofMillis(1_100));
    answer(limiter, 429, NOTHING);
    assertEquals(2 * LONG, rate(), 0.01); // not halved: little was sent since the pause
  }

  @Test
  void refusalsOfOneBurstLowerOneTerm() {
    List<Permit> burst = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      burst.add(take(limiter));
    }
    for (Permit permit : burst) {
      answer(feedback, limiter, permit, 429, NOTHING);
      time.advance(ofMillis(600));
    }
    assertEquals(SHORT, rate(), 1.2);
  }

  /** It has not been accepted at that rate. */
  @Test
  void aShorterTermThatTriesMoreIsLoweredAgain() {
    answer(limiter, 429, NOTHING);
    time.advance(ofMillis(7_500));
    assertTrue(rate() > 10, () -> "" + rate());
    answer(limiter, 429, NOTHING);
    assertTrue(rate() > 4, () -> "" + rate());
  }

  @Test
  void aLongerTermThatIsLoweredIsLoweredAgain() {
    answer(limiter, 429, usedUp(60, 30));
    time.advance(ofSeconds(61));
    assertEquals(0.97, rate(), 0.01);
    answer(limiter, 429, NOTHING);
    assertEquals(0.75 / 2 * 0.97, rate(), 0.01);
  }

  @Test
  void theRateOfATermStaysWithTheTermWhenTheLimitChanges() {
    answer(limiter, 429, usedUp(60, 30));
    limiter.setLimit("peer(30/1s) & peer(90/30s)");
    assertEquals(LONG, rate(), 0.01);
    limiter.setLimit("peer(20/1s)");
    assertEquals(LONG, rate(), 0.01);
  }

  @Test
  void theSlowestRateGoesOnWhereTermsBecomeOne() {
    answer(limiter, 429, usedUp(20, 1));
    stop(limiter);
    answer(limiter, 429, usedUp(60, 30));
    double slowest = rate();
    limiter.setLimit("peer(600/1m)");
    assertEquals(slowest, rate(), 0.01);
    assertTrue(slowest < 2, () -> "" + slowest);
  }

  @Test
  void theSlowestRateIsToldThoughItIsOfTheShorterTerm() {
    Limiter limiter = limiter("peer(20/1s) & peer(1000/30s)");
    answer(limiter, 429, usedUp(20, 1));
    stop(limiter);
    answer(limiter, 429, usedUp(1_000, 30));
    double both = limiter.snapshot().workingRate().orElseThrow();
    assertTrue(both < 11, () -> "" + both);
  }
}
