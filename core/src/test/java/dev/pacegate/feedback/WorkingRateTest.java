package dev.pacegate.feedback;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterListener;
import dev.pacegate.Permit;
import dev.pacegate.time.ManualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What lowers a working rate, what raises it, and what is told of it. */
class WorkingRateTest {

  private static final Map<String, String> FIFTY = Map.of("X-RateLimit-Limit", "50");
  private static final Map<String, String> THOUSAND = Map.of("X-RateLimit-Limit", "1000");

  private final ManualTime time = ManualTime.manual();
  private final List<OptionalDouble> told = new ArrayList<>();

  private Limiter limiter(String limit) {
    var listener =
        new LimiterListener() {
          @Override
          public void onWorkingRate(OptionalDouble perSecond) {
            told.add(perSecond);
          }
        };
    return Limiter.builder(limit).time(time).executor(Runnable::run).listener(listener).build();
  }

  private void answer(Limiter limiter, int status, Map<String, String> headers) {
    answer(limiter, limiter.tryAcquire().orElseThrow(), status, headers);
  }

  private void answer(Limiter limiter, Permit permit, int status, Map<String, String> headers) {
    var values = new TreeMap<String, List<String>>(String.CASE_INSENSITIVE_ORDER);
    headers.forEach((name, value) -> values.put(name, List.of(value)));
    Feedback.standard().apply(limiter, permit, new Answer(status, values, time.instant()));
    permit.answered();
  }

  private static double rate(Limiter limiter) {
    return limiter.snapshot().workingRate().orElseThrow();
  }

  /** Returns how many requests are accepted until {@code seconds} are over. */
  private int send(Limiter limiter, int seconds, Map<String, String> headers) {
    int sent = 0;
    for (int i = 0; i < 1000 * seconds; i++) {
      Optional<Permit> permit = limiter.tryAcquire();
      if (permit.isPresent()) {
        answer(limiter, permit.get(), 200, headers);
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
    answer(limiter, slow, 429, Map.of("Retry-After", "1"));
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
    assertEquals(1, told.size());
    limiter.setLimit("peer(1000/1d)");
    answer(limiter, 200, Map.of());
    assertEquals(2, told.size());
    assertTrue(told.get(1).isEmpty());
  }

  @Test
  void anotherLimitKeepsTheRateAndIsNotLoweredTwice() {
    Limiter limiter = limiter("peer(100/1s)");
    Permit first = limiter.tryAcquire().orElseThrow();
    Permit second = limiter.tryAcquire().orElseThrow();
    answer(limiter, first, 429, Map.of("Retry-After", "1"));
    double before = rate(limiter);
    limiter.setLimit("peer(200/1s)");
    assertEquals(before, rate(limiter), 0.01);
    answer(limiter, second, 429, Map.of("Retry-After", "1"));
    assertEquals(before, rate(limiter), 0.01);
  }

  @Test
  void atTheRateRequestsGoEvenly() {
    Limiter limiter = refusedAtFifty();
    time.advance(ofSeconds(4));
    int sent = send(limiter, 2, FIFTY);
    assertTrue(sent >= 96 && sent <= 99, () -> "" + sent);
  }
}
