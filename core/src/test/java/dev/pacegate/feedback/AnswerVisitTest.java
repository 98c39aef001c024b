package dev.pacegate.feedback;

import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.Snapshot;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Time;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How often an answer enters the gate. Each stay there reads the clock once. */
class AnswerVisitTest {

  private static final String DATE = "Thu, 01 Jan 1970 00:00:30 GMT";
  private static final String TOKENS = "peer(10/1s) & aligned(1200/1m) & peer(90000/1m of tokens)";

  /** What an answer may say, all of it, of the three terms of {@link #TOKENS}. */
  private static final Map<String, String> ALL =
      Map.of(
          "Retry-After",
          "30",
          "RateLimit-Policy",
          "\"s\";q=10;w=1, \"m\";q=1200;w=60, \"t\";q=90000;w=60;qu=\"tokens\"",
          "RateLimit",
          "\"s\";r=0;t=1, \"m\";r=700;t=20, \"t\";r=100;t=20",
          "Date",
          DATE);

  private final CountingTime time = new CountingTime();

  /** Time that counts how often its clock is read. */
  private static final class CountingTime implements Time {
    private final ManualTime time = ManualTime.manual();
    private int reads;

    private CountingTime() {
      time.setInstant(Instant.ofEpochSecond(30)); // far from the beginnings of minutes
    }

    @Override
    public long nanoTime() {
      reads++;
      return time.nanoTime();
    }

    @Override
    public Instant instant() {
      return time.instant();
    }

    @Override
    public Scheduled at(long instant, Runnable task) {
      return time.at(instant, task);
    }
  }

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).name("api").time(time).build();
  }

  private int visits(Runnable action) {
    int before = time.reads;
    action.run();
    return time.reads - before;
  }

  @Test
  void allThatARefusalSaysIsHeardInOneVisit() {
    Limiter limiter = limiter(TOKENS);
    Permit permit = limiter.tryAcquire(Cost.of("tokens", 1)).orElseThrow();

    assertEquals(
        1,
        visits(() -> Feedback.standard().apply(limiter, permit, FeedbackCases.answer(429, ALL))));

    Snapshot snapshot = limiter.snapshot();
    assertEquals(1, snapshot.refusedByPeer());
    assertEquals(89_899, snapshot.takenByOthers(), "tokens alone: requests go at a working rate");
    assertTrue(snapshot.workingRate().isPresent());
    assertEquals(ofSeconds(30), limiter.estimateWait(1));
    assertEquals(1, visits(permit::answered));
  }

  @Test
  void allThatAnAcceptedAnswerSaysIsHeardInOneVisit() {
    Limiter limiter = limiter(TOKENS);
    Permit permit = limiter.tryAcquire(Cost.of("tokens", 1)).orElseThrow();

    assertEquals(
        1,
        visits(() -> Feedback.standard().apply(limiter, permit, FeedbackCases.answer(200, ALL))));

    assertEquals(9 + 499 + 89_899, limiter.snapshot().takenByOthers());
  }

  /** Without learning an accepted answer is heard for its quotas and its date alone. */
  @ParameterizedTest
  @CsvSource({
    "peer(10/1s), '', 0",
    "peer(10/1s), Date, 0",
    "peer(10/1s) & aligned(10/1m), Date, 1",
    "peer(10/1s), RateLimit-Policy, 1",
    "'peer(10/1s, counted=headers)', '', 0",
    "'peer(10/1s, counted=headers)', RateLimit-Policy, 1",
    "10/1s, Date, 0",
    "10/1s, RateLimit-Policy, 0",
  })
  void anAnswerThatCanHaveNoEffectIsNotHeard(String limit, String header, int visits) {
    Limiter limiter = limiter(limit);
    Permit permit = limiter.tryAcquire().orElseThrow();
    Map<String, String> headers = header.isEmpty() ? Map.of() : Map.of(header, ALL.get(header));
    Feedback feedback = Feedback.standard().withoutLearning();

    assertEquals(
        visits, visits(() -> feedback.apply(limiter, permit, FeedbackCases.answer(200, headers))));
  }

  @Test
  void aDateIsHeardOnceTheLimitFollowsTheCalendar() {
    Limiter limiter = limiter("peer(10/1s)");
    limiter.setLimit("aligned(10/1m)");
    Permit permit = limiter.tryAcquire().orElseThrow();
    Feedback feedback = Feedback.standard().withoutLearning();
    Answer dated = FeedbackCases.answer(200, Map.of("Date", DATE));

    assertEquals(1, visits(() -> feedback.apply(limiter, permit, dated)));
    limiter.setLimit("peer(10/1s)");
    assertEquals(0, visits(() -> feedback.apply(limiter, permit, dated)));
  }

  @Test
  void aDateIsHeardIfTheLimitOfAKeyFollowsTheCalendar() {
    KeyedLimiter<String> keyed =
        KeyedLimiter.builder("aligned(10/1m)").within(limiter("peer(10/1s)")).build();
    Limiter key = keyed.limiter("a");
    Permit permit = key.tryAcquire().orElseThrow();
    Feedback feedback = Feedback.standard().withoutLearning();
    Answer dated = FeedbackCases.answer(200, Map.of("Date", DATE));

    assertEquals(1, visits(() -> feedback.apply(key, permit, dated)));
  }
}
