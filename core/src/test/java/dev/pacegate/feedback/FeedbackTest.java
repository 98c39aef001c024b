package dev.pacegate.feedback;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerRefusal;
import dev.pacegate.PeerVerdict;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Down at once, up only as time passes. */
class FeedbackTest extends FeedbackCases {

  // ---- refusals

  @Test
  void aRefusalPausesEverybodyAtOnce() {
    Limiter limiter = limiter("peer(10/1m)");
    Permit permit = take(limiter);
    var waiting = new ArrayList<Boolean>();

    feedback.apply(limiter, permit, refused("30"));
    CompletableFuture<Void> next = limiter.acquireAsync().thenAccept(p -> waiting.add(true));
    time.advance(ofMillis(29_999));
    assertEquals(List.of(), waiting);
    time.advance(ofMillis(1));

    assertEquals(List.of(true), waiting);
    assertTrue(next.isDone());
    assertEquals(1, limiter.snapshot().refusedByPeer());
  }

  @Test
  void aShorterPauseDoesNotCutALongerOne() {
    Limiter limiter = limiter("peer(10/1m)");
    Permit permit = take(limiter);

    feedback.apply(limiter, permit, refused("30"));
    feedback.apply(limiter, permit, refused("1"));
    time.advance(ofSeconds(2));

    assertTrue(limiter.tryAcquire().isEmpty());
  }

  @Test
  void aRefusalThatSaysNothingPausesForAWhile() {
    Limiter limiter = limiter("peer(10/1m)");

    feedback.pause(ofSeconds(5)).apply(limiter, take(limiter), answer(429, Map.of()));

    time.advance(ofMillis(4_999));
    assertTrue(limiter.tryAcquire().isEmpty());
    time.advance(ofMillis(1));
    assertTrue(limiter.tryAcquire().isPresent());
  }

  /** A peer that refuses and says "now" has rounded, or has another clock. */
  @ParameterizedTest
  @ValueSource(strings = {"0", "0.0", "-5", "Thu, 01 Jan 1970 00:00:00 GMT", "soon"})
  void aRefusalThatSaysNowPausesForAWhile(String retryAfter) {
    Limiter limiter = limiter("peer(10/1m)");

    feedback.apply(limiter, take(limiter), refused(retryAfter));

    time.advance(ofMillis(999));
    assertTrue(limiter.tryAcquire().isEmpty());
    time.advance(ofMillis(1));
    assertTrue(limiter.tryAcquire().isPresent());
  }

  @Test
  @SuppressWarnings({"NullAway", "NullOptional"}) // that is what is tried
  void anAnswerOfNullsHasNoEffect() {
    Limiter limiter = limiter("peer(10/1m)");
    Feedback broken =
        feedback.reader(
            answer -> new PeerAnswer(PeerVerdict.REFUSED, null, "", Optional.empty(), List.of()));

    assertEquals(PeerAnswer.NOTHING, broken.apply(limiter, take(limiter), refused("30")));
    assertTrue(limiter.tryAcquire().isPresent());
  }

  @Test
  void anAnswerOfANegativeWaitHasNoEffect() {
    Limiter limiter = limiter("peer(10/1m)");
    Feedback broken =
        feedback.reader(
            answer ->
                new PeerAnswer(
                    PeerVerdict.REFUSED,
                    Optional.of(ofSeconds(-3)),
                    "X",
                    Optional.empty(),
                    List.of()));

    assertEquals(PeerAnswer.NOTHING, broken.apply(limiter, take(limiter), refused("30")));
    assertTrue(limiter.tryAcquire().isPresent());
  }

  @Test
  void aLongerPauseCanBeAllowed() {
    Limiter limiter = limiter("peer(10/1m)");
    Feedback patient = feedback.maxPause(Duration.ofSeconds(Long.MAX_VALUE));

    patient.apply(limiter, take(limiter), refused("30000000"));
    time.advance(Duration.ofDays(300));
    assertTrue(limiter.tryAcquire().isEmpty());
    limiter.resume();
    assertTrue(limiter.tryAcquire().isPresent());
  }

  @Test
  void aQuotaThatIsUsedUpPausesUntilItsReset() {
    Limiter limiter = limiter("starts(10/1s)");

    feedback.apply(
        limiter, take(limiter), answer(429, Map.of("RateLimit", "\"a\";r=0;t=7, \"b\";r=5;t=9")));

    time.advance(ofMillis(6_999));
    assertTrue(limiter.tryAcquire().isEmpty());
    time.advance(ofMillis(1));
    assertTrue(limiter.tryAcquire().isPresent());
  }

  @ParameterizedTest
  @ValueSource(strings = {"30000000", "Wed, 01 Apr 1970 00:00:00 GMT", "90000"})
  void noPauseIsLongerThanADay(String retryAfter) {
    Limiter limiter = limiter("peer(10/1m)");

    feedback.apply(limiter, take(limiter), refused(retryAfter));

    time.advance(ofHours(24).minusNanos(1));
    assertTrue(limiter.tryAcquire().isEmpty());
    time.advance(Duration.ofNanos(1));
    assertTrue(limiter.tryAcquire().isPresent());
  }

  @Test
  void aRefusalUnderAProvenLimitSaysWhy() {
    Limiter limiter = limiter("peer(10/1m)");
    take(limiter).answered();
    Permit permit = take(limiter);

    feedback.apply(limiter, permit, refused("30"));

    PeerRefusal refusal = refusals.get(0);
    assertEquals("api", refusal.limiter());
    assertTrue(refusal.proven());
    assertEquals(OptionalInt.of(1), refusal.open());
    assertEquals(OptionalLong.of(8), refusal.left());
    assertEquals(ofSeconds(30), refusal.pause());
    assertTrue(refusal.advice().contains("another client uses this key"), refusal.advice());
  }

  @Test
  void aRefusalUnderALimitOfStartsSaysThat() {
    Limiter limiter = limiter("10/1m");

    feedback.apply(limiter, take(limiter), refused("30"));

    assertFalse(refusals.get(0).proven());
    assertTrue(refusals.get(0).advice().contains("peer(10/1m)"), refusals.get(0).advice());
  }

  @Test
  void onlyTheKeyThatWasRefusedIsPaused() {
    var all = limiter("unlimited");
    KeyedLimiter<String> keyed = KeyedLimiter.builder("peer(10/1m)").within(all).build();
    Permit permit = keyed.tryAcquire("a").orElseThrow();
    var waiting = new ArrayList<Boolean>();

    feedback.apply(keyed.limiter("a"), permit, refused("30"));
    permit.answered();
    CompletableFuture<Void> next = keyed.acquireAsync("a").thenAccept(p -> waiting.add(true));

    assertTrue(keyed.tryAcquire("b").isPresent());
    assertTrue(keyed.limiter("a").estimateWait(Cost.ONE).compareTo(ofSeconds(30)) >= 0);
    time.advance(ofMillis(29_999));
    assertEquals(List.of(), waiting);
    time.advance(ofMillis(1));
    assertEquals(List.of(true), waiting);
    assertTrue(next.isDone());
  }

  @Test
  void aKeyIsNotForgottenWhilePaused() {
    KeyedLimiter<String> keyed =
        KeyedLimiter.builder("peer(10/1s)").within(limiter("unlimited")).build();
    Permit permit = keyed.tryAcquire("a").orElseThrow();

    feedback.apply(keyed.limiter("a"), permit, refused("30"));
    permit.answered();
    time.advance(ofSeconds(20)); // its window has been over for long

    assertTrue(keyed.tryAcquire("a").isEmpty());
    time.advance(ofSeconds(20));
    assertTrue(keyed.tryAcquire("a").isPresent());
  }

  @Test
  void aShorterPauseOfAKeyDoesNotCutALongerOne() {
    KeyedLimiter<String> keyed =
        KeyedLimiter.builder("peer(10/1s)").within(limiter("unlimited")).build();
    Permit permit = keyed.tryAcquire("a").orElseThrow();

    feedback.apply(keyed.limiter("a"), permit, refused("30"));
    feedback.apply(keyed.limiter("a"), permit, refused("1"));
    time.advance(ofSeconds(2));

    assertTrue(keyed.tryAcquire("a").isEmpty());
  }
}
