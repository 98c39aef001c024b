package dev.pacegate.feedback;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerSays;
import dev.pacegate.Permit;
import dev.pacegate.Quota;
import dev.pacegate.limit.Seeds;
import dev.pacegate.time.Durations;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Quotas in answers are applied. */
class QuotaFeedbackTest extends FeedbackCases {

  // ---- what is left

  /** Two limits are in force at the peer, each reported by its own name. */
  @ParameterizedTest
  @CsvSource({
    "peer(5000/1h), burst, 10, 1s",
    "peer(5000/1d), '', 10, ",
    "peer(10/1m), minutes, 100, 5m",
  })
  void aQuotaOfAnotherLimitStopsNothing(String limit, String name, Long max, String window) {
    Limiter limiter = limiter(limit);
    Permit permit = take(limiter);

    long taken =
        PeerSays.quota(
            limiter,
            permit,
            new Quota(
                name,
                max == null ? OptionalLong.empty() : OptionalLong.of(max),
                OptionalLong.of(0),
                OptionalLong.empty(),
                Optional.ofNullable(window).map(Durations::parse),
                Optional.of(ofSeconds(1)),
                ""));
    permit.answered();

    assertEquals(0, taken);
    assertTrue(limiter.tryAcquire().isPresent());
  }

  @Test
  void anAnswersQuotaThatNamesNoLimitStopsNothing() {
    Limiter limiter = limiter("peer(5000/1h)");
    Permit permit = take(limiter);

    feedback.apply(limiter, permit, answer(200, Map.of("RateLimit", "\"burst\"; r=0; t=1")));
    feedback.apply(limiter, permit, answer(200, Map.of("X-RateLimit-Remaining", "0")));
    permit.answered();

    assertTrue(limiter.tryAcquire().isPresent());
  }

  /** It says when to come again, and may be about any limit. */
  @Test
  void aRefusalsQuotaThatNamesNoLimitPausesAndChargesNothing() {
    Limiter limiter = limiter("peer(10/1m)");
    Permit permit = take(limiter);
    var headers = Map.of("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "7");

    feedback.withoutLearning().apply(limiter, permit, answer(429, headers));
    permit.answered();

    assertEquals(ofSeconds(7), stop(limiter));
    assertEquals(0, limiter.snapshot().takenByOthers());
    assertEquals(9, drain(limiter));
  }

  /** A program knows what it says: its quota is about the only term. */
  @Test
  void aQuotaByHandThatNamesNoLimitIsCharged() {
    Limiter limiter = limiter("peer(10/1m)");
    assertEquals(6, PeerSays.quota(limiter, take(limiter), Quota.remaining(3)));
  }

  /** The headers of two stock limiters of a server, one for seconds and one for hours. */
  @Test
  void theQuotaOfSecondsDoesNotStopTheHour() {
    Limiter limiter = limiter("peer(5000/1h)");
    Permit permit = take(limiter);

    feedback.apply(
        limiter,
        permit,
        answer(
            200,
            Map.of(
                "X-RateLimit-Limit",
                "10",
                "X-RateLimit-Remaining",
                "0",
                "X-RateLimit-Reset",
                "1")));
    permit.answered();

    assertTrue(limiter.tryAcquire().isPresent());
  }

  @Test
  void requestsOfOthersAreCharged() {
    Limiter limiter = limiter("peer(10/1m)");
    Permit permit = take(limiter);

    feedback.apply(limiter, permit, left(10, 3)); // by our count 9
    permit.answered();

    assertEquals(3, drain(limiter));
    assertEquals(6, limiter.snapshot().takenByOthers());
  }

  @Test
  void itComesBackAsTheIntervalPasses() {
    Limiter limiter = limiter("peer(10/1m)");
    Permit permit = take(limiter);
    feedback.apply(limiter, permit, left(10, 0));
    permit.answered();

    time.advance(ofSeconds(59));
    assertEquals(0, drain(limiter));
    time.advance(ofSeconds(2));
    assertEquals(10, drain(limiter));
  }

  @Test
  void laterRequestsMayBeInThePeersCountAlready() {
    Limiter limiter = limiter("peer(10/1m)");
    Permit first = take(limiter);
    take(limiter).answered();
    take(limiter).answered();

    feedback.apply(limiter, first, left(10, 5)); // by our count 7

    assertEquals(5, drain(limiter));
  }

  /** All five are ours, though the first one's answer comes last and tells of the least. */
  @Test
  void requestsThatOvertakeEachOtherAreNotCountedTwice() {
    Limiter limiter = limiter("peer(10/1m)");
    var permits = new ArrayList<Permit>();
    for (int i = 0; i < 5; i++) {
      permits.add(take(limiter));
    }
    for (int i = 4; i >= 0; i--) {
      feedback.apply(limiter, permits.get(i), left(10, 5 + i));
      permits.get(i).answered();
    }
    assertEquals(0, limiter.snapshot().takenByOthers());
    assertEquals(5, drain(limiter));
  }

  @Test
  void answersOutOfOrderRaiseNothing() {
    Limiter limiter = limiter("peer(10/1m)");
    Permit first = take(limiter);
    Permit second = take(limiter);

    feedback.apply(limiter, second, left(10, 2));
    feedback.apply(limiter, first, left(10, 9)); // older news
    feedback.apply(limiter, second, left(10, 2)); // the same news

    assertEquals(2, drain(limiter));
  }

  @Test
  void aPeerThatHasMoreLeftChangesNothing() {
    Limiter limiter = limiter("peer(10/1m)");
    Permit permit = take(limiter);

    feedback.apply(limiter, permit, left(10, 1_000_000));

    assertEquals(9, drain(limiter));
    assertEquals(0, limiter.snapshot().takenByOthers());
  }

  @Test
  void bucketsAreCutToo() {
    Limiter limiter = limiter("peer(bucket(1/1s, burst=10, initial=full), margin=0ns)");
    Permit permit = take(limiter);

    feedback.apply(limiter, permit, left(10, 4));
    permit.answered();

    assertEquals(4, drain(limiter));
    time.advance(ofMillis(3_500));
    assertEquals(3, drain(limiter));
  }

  @Test
  void aCountOfUsedIsTakenFromTheLimit() {
    Limiter limiter = limiter("peer(1200/1m)");
    Feedback weights = feedback.reader(AnswerReader.used("X-MBX-USED-WEIGHT-1M", ofMinutes(1)));
    Permit permit = limiter.tryAcquire(10).orElseThrow();

    weights.apply(limiter, permit, answer(200, Map.of("X-MBX-USED-WEIGHT-1M", "1195")));

    assertEquals(5, drain(limiter));
  }

  @Test
  void ofSeveralLimitsTheOneIsMeantThatHasTheWindow() {
    Limiter limiter = limiter("peer(10/1s) & peer(100/1m) & concurrent(50)");
    Permit permit = take(limiter);

    long taken =
        PeerSays.quota(
            limiter,
            permit,
            new Quota(
                "",
                OptionalLong.empty(),
                OptionalLong.of(15),
                OptionalLong.empty(),
                Optional.of(ofMinutes(1)),
                Optional.empty(),
                ""));
    permit.answered();

    assertEquals(84, taken);
    assertEquals(9, drain(limiter)); // of the second
    time.advance(ofSeconds(2));
    assertEquals(6, drain(limiter)); // of the minute
    assertEquals(
        0, PeerSays.quota(limiter, permit, Quota.remaining(0))); // of which, it does not say
  }

  @Test
  void theQuotaOfAShortWindowDoesNotEmptyALongOne() {
    Limiter limiter = limiter("peer(10/1s) & peer(100/1m)");
    Permit permit = take(limiter);

    long taken =
        PeerSays.quota(
            limiter,
            permit,
            new Quota(
                "",
                OptionalLong.of(10), // its limit alone says which one is meant
                OptionalLong.of(3),
                OptionalLong.empty(),
                Optional.empty(),
                Optional.empty(),
                ""));
    permit.answered();

    assertEquals(6, taken);
    assertEquals(3, drain(limiter));
    time.advance(ofSeconds(2));
    assertEquals(10, drain(limiter));
  }

  /** Which of two limits is meant is told by the window alone where they allow the same. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "peer(10/1s) & peer(10/1m)",
        "peer(10/1m) & peer(10/1s)",
        "peer(10/1m) & unlimited & peer(10/1s) & concurrent(20)"
      })
  void limitsThatAllowTheSameAreToldApart(String limit) {
    Limiter limiter = limiter(limit);
    Permit permit = take(limiter);

    PeerSays.quota(
        limiter,
        permit,
        new Quota(
            "",
            OptionalLong.empty(),
            OptionalLong.of(3),
            OptionalLong.empty(),
            Optional.of(ofSeconds(1)),
            Optional.empty(),
            ""));
    permit.answered();

    assertEquals(3, drain(limiter));
    time.advance(ofSeconds(2));
    assertEquals(6, drain(limiter)); // the minute has lost but the four
  }

  @Test
  void aWaiterIsRetimed() {
    Limiter limiter = limiter("peer(3/1m, margin=0ns)");
    Permit first = take(limiter);
    var waiting = new ArrayList<Boolean>();
    CompletableFuture<Void> large = limiter.acquireAsync(3).thenAccept(p -> waiting.add(true));
    first.answered();
    time.advance(ofSeconds(30));

    feedback.apply(limiter, first, left(3, 0));

    time.advance(ofMillis(59_999));
    assertEquals(List.of(), waiting);
    time.advance(ofMillis(1));
    assertEquals(List.of(true), waiting);
    assertTrue(large.isDone());
  }

  /** It was said that no limit of starts heeds a quota. */
  @Test
  void aPermitThatKnowsItsInstantTeachesALimitOfStartsAsWell() {
    Limiter limiter = limiter("10/1m");
    Permit permit = limiter.tryAcquire(2).orElseThrow();
    assertEquals(5, PeerSays.quota(limiter, permit, Quota.remaining(3)));
    assertEquals(3, drain(limiter));
  }

  @Test
  void permitsOfOthersTeachNothing() {
    Limiter limiter = limiter("peer(10/1m)");
    Permit other = take(limiter("peer(10/1m)"));
    Permit shared = take(limiter("10/1m"));

    feedback.apply(limiter, other, left(10, 0));
    feedback.apply(limiter, shared, left(10, 0));

    assertEquals(10, drain(limiter));
  }

  @Test
  void aReaderThatFailsTeachesNothing() {
    Limiter limiter = limiter("peer(10/1m)");
    Feedback broken =
        feedback.reader(
            answer -> {
              throw new IllegalStateException("test");
            });

    assertEquals(PeerAnswer.NOTHING, broken.apply(limiter, take(limiter), refused("30")));
    assertEquals(9, drain(limiter));
  }

  @Test
  void pausesAreInRange() {
    assertThrows(
        IllegalArgumentException.class, () -> feedback.maxPause(ofSeconds(1)).pause(ofSeconds(2)));
    assertThrows(IllegalArgumentException.class, () -> feedback.pause(ofSeconds(-1)));
  }

  /** A peer counts two clients; whatever order answers come in, ours never exceeds what is left. */
  @Test
  void neverMoreThanThePeerHasLeft() {
    Seeds.forEach(
        500,
        random -> {
          Limiter limiter = limiter("peer(20/1m)");
          int count = 0; // at the peer, of both; it counts when a request is sent
          var open = new ArrayList<Permit>();
          var answers = new ArrayList<Answer>();
          for (int step = 0; step < 60; step++) {
            switch (random.nextInt(4)) {
              case 0 -> count += random.nextInt(3); // another client
              case 1 -> {
                int i = open.isEmpty() ? -1 : random.nextInt(open.size());
                if (i >= 0) {
                  feedback.apply(limiter, open.get(i), answers.get(i));
                  open.remove(i).answered();
                  answers.remove(i);
                  assertTrue(remaining(limiter) <= 20);
                }
              }
              default -> {
                var permit = limiter.tryAcquire();
                if (permit.isPresent()) {
                  open.add(permit.get());
                  answers.add(left(20, Math.max(0, 20 - ++count)));
                }
              }
            }
          }
          // One more request, answered with nothing in flight, tells what there is.
          for (int i = 0; i < open.size(); i++) {
            feedback.apply(limiter, open.get(i), answers.get(i));
            open.get(i).answered();
          }
          var last = limiter.tryAcquire();
          if (last.isPresent()) {
            int peer = Math.max(0, 20 - ++count);
            feedback.apply(limiter, last.get(), left(20, peer));
            last.get().answered();
            assertTrue(remaining(limiter) <= peer);
          }
        });
  }

  private static int remaining(Limiter limiter) {
    int most = 0;
    while (most < 25 && limiter.estimateWait(most + 1).isZero()) {
      most++;
    }
    return most;
  }

  @Test
  void anExchangeTellsWhatWasUsedInItsMinuteAndWhatTimeItIs() {
    time.setInstant(Instant.parse("2026-11-20T12:00:10Z"));
    Limiter limiter = limiter("aligned(1200/1m)");
    Feedback exchange =
        feedback.reader(
            AnswerReader.standard().and(AnswerReader.used("X-Used-Weight-1M", ofMinutes(1))));
    Permit permit = limiter.tryAcquire(5).orElseThrow();
    exchange.apply(limiter, permit, answer(200, Map.of("X-Used-Weight-1M", "100")));
    permit.answered();
    assertEquals(95, limiter.snapshot().takenByOthers());
    limiter.tryAcquire(1100).orElseThrow().notSent();
    assertTrue(limiter.tryAcquire(1101).isEmpty());

    for (int i = 0; i < 8; i++) { // its clock is 20 s ahead
      time.advance(ofMillis(1125));
      Permit asking = limiter.tryAcquire().orElseThrow();
      String date =
          DateTimeFormatter.RFC_1123_DATE_TIME.format(
              time.instant().plusSeconds(20).atOffset(ZoneOffset.UTC));
      exchange.apply(limiter, asking, answer(200, Map.of("Date", date)));
      asking.answered();
    }
    limiter.tryAcquire(1092).orElseThrow().answered();
    Duration wait = limiter.estimateWait(1); // at 12:00:19 here, 12:00:39 there
    assertTrue(wait.compareTo(ofSeconds(20)) >= 0, wait::toString);
    assertTrue(wait.compareTo(ofSeconds(23)) <= 0, wait::toString);
  }
}
