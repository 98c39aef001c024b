package dev.pacegate.peer;

import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Backoff;
import dev.pacegate.Limiter;
import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerVerdict;
import dev.pacegate.Permit;
import dev.pacegate.Quota;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.LimitFormatException;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Peer;
import dev.pacegate.permit.Heard;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What single answers show under {@code counted=headers}. */
class StatedCountsTest {

  private static final String LIMIT = "peer(4/10s, counted=headers, margin=0s)";
  private static final String CONTRADICTED = "counted=headers has no effect from now on";

  private final ManualTime time = ManualTime.manual();

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).name("api").time(time).executor(Runnable::run).build();
  }

  private static Permit take(Limiter api) {
    return api.tryAcquire().orElseThrow();
  }

  private static Quota used(long used) {
    return Quota.remaining(4 - used).withLimit(4);
  }

  private static void says(Limiter api, Permit permit, Quota... quotas) {
    says(api, permit, PeerVerdict.ACCEPTED, quotas);
  }

  private static void says(Limiter api, Permit permit, PeerVerdict verdict, Quota... quotas) {
    PeerAnswer answer = PeerAnswer.of(verdict).withQuotas(List.of(quotas));
    api.heard(permit, answer, Backoff.standard().withLearning(false));
  }

  /** Sends a request whose headers prove, and leaves it open. */
  private Limiter proven(String limit) {
    Limiter api = limiter(limit);
    says(api, take(api), used(1));
    return api;
  }

  private static int takeAll(Limiter api) {
    int taken = 0;
    while (api.tryAcquire().isPresent()) {
      taken++;
    }
    return taken;
  }

  /** Returns how many more may go so much later. */
  private int laterBy(Limiter api, Duration wait) {
    time.advance(wait);
    return takeAll(api);
  }

  @Test
  void aRequestThatIsCountedIsOverAtItsHeaders() {
    Limiter api = proven(LIMIT);
    assertEquals(3, takeAll(api));
    assertEquals(0, laterBy(api, ofSeconds(10).minusNanos(1)));
    assertEquals(1, laterBy(api, Duration.ofNanos(1)));
  }

  /** It is told in the middle of its wait, which had no end. */
  @Test
  void aWaitingRequestGoesAnIntervalAfterTheHeaders() {
    Limiter api = limiter(LIMIT);
    Permit last = take(api);
    takeAll(api);
    var waiting = api.acquireAsync(1);
    time.advance(ofSeconds(5));
    says(api, last, used(4));
    time.advance(ofSeconds(10).minusNanos(1));
    assertTrue(!waiting.isDone());
    time.advance(Duration.ofNanos(1));
    assertTrue(waiting.isDone());
  }

  /** The whole allowance is left at the first answer, so it is counted later. */
  @Test
  void aRequestThatIsNotCountedIsOverAtItsEnd() {
    Limiter api = limiter(LIMIT);
    Permit permit = take(api);
    says(api, permit, used(0));
    assertEquals(3, takeAll(api));
    assertEquals(0, laterBy(api, ofSeconds(10)));
    permit.answered();
    assertEquals(1, laterBy(api, ofSeconds(10)));
  }

  @Test
  void aCountThatMayBeOfOthersInFlightProvesNothing() {
    Limiter api = limiter(LIMIT);
    Permit first = take(api);
    Permit second = take(api);
    says(api, second, used(1)); // of which of the two?
    assertEquals(2, takeAll(api));
    assertEquals(0, laterBy(api, ofSeconds(10)));
    first.answered();
    second.answered();
    assertEquals(2, laterBy(api, ofSeconds(10)));
  }

  @Test
  void aCountThatMayBeOfOneThatHasJustEndedProvesNothing() {
    Limiter api = limiter(LIMIT);
    take(api).answered();
    time.advance(ofSeconds(1));
    says(api, take(api), used(1)); // of the one that has ended, or of this one?
    assertEquals(2, takeAll(api));
    assertEquals(1, laterBy(api, ofSeconds(10)));
  }

  @Test
  void aRequestWhoseHeadersDoNotSayIsOverAtItsEnd() {
    Limiter api = proven(LIMIT);
    time.advance(Duration.ofMillis(1)); // requests of one instant are not told apart
    Permit silent = take(api);
    says(api, silent);
    assertEquals(2, takeAll(api));
    assertEquals(1, laterBy(api, ofSeconds(10)), "the first one alone");
    silent.answered();
    assertEquals(1, laterBy(api, ofSeconds(10)));
  }

  @Test
  void aLostBodyIsNotWaitedFor() {
    Limiter api = limiter(LIMIT);
    Permit permit = take(api);
    says(api, permit, used(1));
    permit.lost();
    assertEquals(4, laterBy(api, ofSeconds(10)));
  }

  /** Of another number, of another window, of a cost, or without a limit. */
  @Test
  void anotherQuotaProvesNothing() {
    var others =
        List.of(
            Quota.remaining(9).withLimit(10),
            Quota.remaining(3).withLimit(4).withWindow(ofSeconds(60)),
            Quota.remaining(3).withLimit(4).withCost("tokens"),
            Quota.remaining(3).withWindow(ofSeconds(10)),
            Quota.remaining(3));
    for (Quota quota : others) {
      Limiter api = limiter(LIMIT);
      says(api, take(api), quota);
      assertEquals(3, takeAll(api), quota::toString);
      assertEquals(0, laterBy(api, ofSeconds(10)), quota::toString);
    }
  }

  @Test
  void quotasThatDisagreeProveNothing() {
    Limiter api = limiter(LIMIT);
    says(api, take(api), used(1), used(0));
    assertEquals(3, takeAll(api));
    assertEquals(0, laterBy(api, ofSeconds(10)));
  }

  /** Others have used two: the third may be ours or theirs. */
  @Test
  void aCountWithRequestsOfOthersProvesNothingForAnInterval() {
    Limiter api = limiter(LIMIT);
    Permit first = take(api);
    Permit second = take(api);
    says(api, first, used(3));
    says(api, second, used(3));
    assertEquals(1, takeAll(api));
    assertEquals(1, laterBy(api, ofSeconds(10)), "what others took is over");
    assertEquals(0, laterBy(api, ofSeconds(10)), "ours is not");
  }

  /** The end of the one whose body is lost may be taken for that of the other, but no earlier. */
  @Test
  void aLostRequestOfTheSameInstantCountsUntilItIsAnswered() {
    Limiter api = proven("peer(4/1s, counted=headers, margin=0s)");
    time.advance(ofSeconds(2));
    Permit counted = take(api);
    Permit lost = take(api);
    says(api, counted, used(2));
    lost.lost(); // the peer may count it until 10 s after its start
    time.advance(ofSeconds(1));
    counted.answered();
    assertEquals(3, laterBy(api, ofSeconds(2)), "the lost one is not over");
  }

  @Test
  void theHeadersOfARefusalProveNothing() {
    Limiter api = limiter(LIMIT);
    Permit refused = take(api);
    says(api, refused, PeerVerdict.REFUSED, used(1));
    api.resume();
    assertEquals(3, takeAll(api));
    assertEquals(0, laterBy(api, ofSeconds(10)));
  }

  /** The limit before knows nothing of the request that the peer has counted. */
  @ParameterizedTest
  @ValueSource(strings = {"concurrent(1)", "unlimited"})
  void aCountOfARequestThatAnEarlierLimitHasForgottenProvesNothing(String earlier) {
    Limiter api = limiter(earlier);
    take(api).answered();
    time.advance(ofSeconds(2));
    api.setLimit(Limits.parse(LIMIT));
    says(api, take(api), used(1)); // of that one
    assertEquals(3, takeAll(api));
    assertEquals(0, laterBy(api, ofSeconds(10)), "all are open");
  }

  @Test
  void aRefusalEndsItForGoodWithOneLine() {
    try (var heard = new Heard()) {
      Limiter api = proven(LIMIT);
      for (int i = 0; i < 2; i++) {
        Permit refused = take(api);
        says(api, refused, PeerVerdict.REFUSED);
        refused.answered();
        api.resume();
      }
      assertEquals(1, heard.lines(CONTRADICTED).size(), heard.lines::toString);
      time.advance(ofSeconds(10));
      assertEquals(3, takeAll(api), "the first one is open");
      api.setLimit(Limits.parse("peer(5/10s, counted=headers, margin=0s)"));
      Permit next = take(api);
      says(api, next, Quota.remaining(0).withLimit(5));
      assertEquals(0, laterBy(api, ofSeconds(10)));
      assertEquals(1, heard.lines(CONTRADICTED).size(), heard.lines::toString);
    }
  }

  /** Each count is too low by one: no three windows can begin within an interval. */
  @Test
  void countsThatLackRequestsEndItForGood() {
    try (var heard = new Heard()) {
      Limiter api = limiter("peer(100/10s, counted=headers, margin=0s)");
      Permit first = take(api);
      says(api, first, Quota.remaining(99).withLimit(100));
      for (int i = 0; i < 3; i++) {
        time.advance(ofSeconds(1));
        says(api, take(api), Quota.remaining(99).withLimit(100));
      }
      assertEquals(1, heard.lines(CONTRADICTED).size(), heard.lines::toString);
      assertEquals(96, laterBy(api, ofSeconds(20)), "all four are open");
    }
  }

  @Test
  void aWindowOfThePeerThatBeginsContradictsNothing() {
    try (var heard = new Heard()) {
      Limiter api = limiter("peer(100/10s, counted=headers, margin=0s)");
      for (int i = 0; i < 60; i++) {
        says(api, take(api), Quota.remaining(99 - i % 10).withLimit(100));
        time.advance(ofSeconds(1));
      }
      assertEquals(List.of(), heard.lines(CONTRADICTED));
      assertEquals(100 - 9 - 5, takeAll(api), "the first of each later window is open");
    }
  }

  @Test
  void aCostThatIsSettledEndsItForGood() {
    try (var heard = new Heard()) {
      Limiter api = limiter(LIMIT);
      Permit permit = api.tryAcquire(2).orElseThrow();
      says(api, permit, used(2));
      permit.settle(1);
      says(api, take(api), used(2));
      assertEquals(1, heard.lines(CONTRADICTED).size(), heard.lines::toString);
      assertEquals(2, takeAll(api));
      assertEquals(0, laterBy(api, ofSeconds(10)), "all are open");
    }
  }

  @Test
  void tokensThatAreSettledDoNotMatter() {
    Limiter api = limiter(LIMIT + " & peer(100/10s of tokens)");
    Permit permit = take(api);
    says(api, permit, used(1));
    permit.settle(Cost.of("tokens", 50));
    assertEquals(4, 1 + takeAll(api));
    assertEquals(1, laterBy(api, ofSeconds(10)));
  }

  @Test
  void aRequestThatIsSentLateIsCountedFromThen() {
    Limiter api =
        Limiter.builder(LIMIT).time(time).executor(Runnable::run).late(ofSeconds(1)).build();
    Permit permit = take(api);
    says(api, permit, used(1));
    time.advance(ofSeconds(5));
    permit.sending();
    assertEquals(3, laterBy(api, ofSeconds(20)), "it is sent again, and open");
    permit.answered();
    assertEquals(4, laterBy(api, ofSeconds(20)) + 3);
  }

  @Test
  void theTextIsReadAndWritten() {
    String text = "peer(60/1m, counted=headers)";
    Limit limit = Limits.parse(text);
    assertEquals(text, limit.toString());
    assertEquals(limit, ((Peer) Limits.parse("peer(60/1m, counted=2s)")).countedByHeaders());
    String both = "peer(60/1m, counted=headers, unanswered=30s)";
    assertEquals(both, Limits.parse(both).toString());
    assertEquals(Limits.parse(both), limit.unanswered(ofSeconds(30)));
    var timed = ((Peer) limit).counted(ofSeconds(2));
    assertEquals("peer(60/1m, counted=2s)", timed.toString());
  }

  @ParameterizedTest
  @CsvSource({
    "'peer(9/1m of tokens, counted=headers)', '9/1m of tokens, which is settled later'",
    "'peer(60/1m & 9/1m of tokens, counted=headers)', '9/1m of tokens, which is settled later'",
    "'peer(bucket(9/1s, burst=5), counted=headers)', 'not bucket(9/1s, burst=5)'",
    "'peer(spacing(1s), counted=headers)', 'not spacing(1s)'",
  })
  void onlyWindowsOfRequestsMayBeCountedByTheHeaders(String limit, String why) {
    var wrong = assertThrows(LimitFormatException.class, () -> Limits.parse(limit));
    String message = String.valueOf(wrong.getMessage());
    assertTrue(message.contains("counted=headers takes a window of requests"), message);
    assertTrue(message.contains(why), message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"peer(60/1m, counted=header)", "peer(60/1m, counted=body)"})
  void anotherWordIsNoTime(String limit) {
    assertThrows(LimitFormatException.class, () -> Limits.parse(limit));
  }
}
