package dev.pacegate.change;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Changes that once let through more than they should, each with its numbers. */
class ChangeCasesTest {

  private final ManualTime time = ManualTime.manual();

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).stamped(true).build();
  }

  private void pass(long millis) {
    time.advance(Duration.ofMillis(millis));
  }

  private static List<Permit> takeAll(Limiter limiter) {
    var taken = new ArrayList<Permit>();
    Optional<Permit> next = limiter.tryAcquire();
    while (next.isPresent()) {
      taken.add(next.get());
      next = limiter.tryAcquire();
    }
    return taken;
  }

  /** The level rises a margin after the bound, and another bucket has to wait as long. */
  @Test
  void aBucketGoesOnAMarginAfterABoundThatHasJustEnded() {
    try (Limiter limiter = limiter("peer(bucket(1/10s), counted=1s)")) {
      pass(60_000);
      assertEquals(1, takeAll(limiter).size());
      pass(1_000);
      limiter.setLimit("peer(bucket(1/10s), counted=500ms)");
      pass(10_010);
      assertEquals(0, takeAll(limiter).size());
      pass(2);
      assertEquals(1, takeAll(limiter).size());
    }
  }

  /** The peer may stamp the first a margin after its bound, and its bucket refills from then on. */
  @Test
  void aBucketWithAShorterBoundGoesOnAMarginAfterThat() {
    String bucket = "peer(bucket(10/1s, burst=2, initial=full), margin=100ms, counted=";
    try (Limiter limiter = limiter(bucket + "500ms)")) {
      assertTrue(limiter.tryAcquire().isPresent()); // the peer may count it at 300 ms
      pass(250);
      limiter.setLimit(bucket + "200ms)");
      pass(100);
      assertEquals(1, takeAll(limiter).size());
    }
  }

  /** Eight more went, so the peer could count eighteen in its ten seconds. */
  @Test
  void aPeersWindowRemembersSlowRequestsThroughASmallerOne() {
    try (Limiter limiter = limiter("peer(10/10s)")) {
      List<Permit> slow = takeAll(limiter);
      assertEquals(10, slow.size());
      pass(1000);
      limiter.setLimit("peer(1/10s)");
      pass(14_000);
      for (Permit permit : slow) {
        permit.answered();
        pass(100);
      }
      limiter.setLimit("peer(10/10s)");
      assertEquals(0, takeAll(limiter).size());
    }
  }

  /**
   * A poll under no limit reads no clock, so these ten were logged at the limiter's first instant.
   */
  @Test
  void aPollWhileNothingWasLimitedCounts() {
    try (Limiter limiter = Limiter.builder("10/1m").time(time).build()) {
      pass(120_000);
      limiter.setLimit("unlimited");
      for (int i = 0; i < 10; i++) {
        assertNotNull(limiter.poll(Cost.ONE));
      }
      limiter.setLimit("10/1m");
      assertEquals(0, takeAll(limiter).size());
    }
  }

  /** Guava's limiter has saved up as much in that hour. */
  @Test
  void aBucketHasRestedWhileNothingWasLimited() {
    try (Limiter limiter = limiter("unlimited")) {
      assertEquals(5, limiter.tryAcquireUpTo(5).orElseThrow().cost().amount());
      pass(3_600_000);
      limiter.setLimit("bucket(2/1s, burst=2, pay=later, initial=empty)");
      assertEquals(3, takeAll(limiter).size()); // two saved up, and one that the next pays for
    }
  }

  /** Nine more went, or seven with a burst of three. */
  @Test
  void aWindowRemembersItselfThroughABucket() {
    for (String bucket : List.of("bucket(1/1m)", "bucket(1/1m, burst=3)")) {
      try (Limiter limiter = limiter("10/1m")) {
        assertEquals(10, takeAll(limiter).size());
        limiter.setLimit(bucket);
        limiter.setLimit("10/1m");
        assertEquals(0, takeAll(limiter).size(), bucket);
      }
    }
  }

  /** The next one went after 60 ms, so the peer could count both 60 ms apart. */
  @Test
  void aPeersBucketExpectsWhatASpacingLetThroughForAsLongAsIfItWereLost() {
    try (Limiter limiter = limiter("spacing(60s)")) {
      assertEquals(1, takeAll(limiter).size());
      pass(60_000);
      limiter.setLimit("peer(bucket(1/60s, burst=1), unanswered=60s)");
      Duration wait = limiter.estimateWait(1);
      assertTrue(wait.compareTo(Duration.ofSeconds(60)) >= 0, wait::toString);
    }
  }

  /** Ten, four and ten went at once. */
  @Test
  void aWindowRemembersItselfThroughLimitsThatLimitNoStarts() {
    for (String between : List.of("concurrent(4)", "unlimited")) {
      try (Limiter limiter = limiter("10/1m")) {
        assertEquals(10, takeAll(limiter).size());
        limiter.setLimit(between);
        for (int i = 0; i < 4; i++) {
          limiter.tryAcquire().orElseThrow().answered();
        }
        limiter.setLimit("10/1m");
        assertEquals(0, takeAll(limiter).size(), between);
      }
    }
  }

  /** For a length that is neither's own the sum is what is promised: five in 41 s. */
  @Test
  void aLengthInBetweenMayHoldWhatBothLimitsAllow() {
    try (Limiter limiter = limiter("4/80s")) {
      for (int i = 0; i < 3; i++) {
        assertTrue(limiter.tryAcquire().isPresent());
      }
      pass(40_000);
      limiter.setLimit("2/30s");
      assertEquals(2, takeAll(limiter).size());
      pass(30_000);
      assertEquals(1, takeAll(limiter).size(), "six in 80 s, as thrice the new limit allows");
    }
  }

  /** Six went in five seconds, as the margin made room for one interval more of the new limit. */
  @Test
  void aMarginDoesNotAddToWhatTheNextLimitAllows() {
    try (Limiter limiter = limiter("peer(5/5s, margin=1%)")) {
      assertEquals(5, takeAll(limiter).size());
      limiter.setLimit("1/1s");
      pass(1000);
      assertEquals(0, takeAll(limiter).size());
      pass(4050);
      assertEquals(1, takeAll(limiter).size());
    }
  }

  /** Six went in half a second, as 2/10s had stood for 5/1s when nothing more than it could go. */
  @Test
  void aShorterWindowIsNotForgottenForALongerOneThatIsStricterForAWhile() {
    try (Limiter limiter = limiter("5/1s")) {
      assertEquals(5, takeAll(limiter).size());
      limiter.setLimit("2/10s");
      limiter.setLimit("1/10s");
      limiter.setLimit("bucket(2/1s, burst=1)");
      pass(500);
      assertEquals(0, takeAll(limiter).size());
      pass(500);
      assertEquals(1, takeAll(limiter).size());
    }
  }

  /** The second went 3 s later, as the concurrent one had it that nothing was lost any more. */
  @Test
  void openRequestsDoNotStandForThoseOfAWindow() {
    try (Limiter limiter =
        limiter("concurrent(2, unanswered=200ms) & peer(spacing(1s), unanswered=6s, margin=0s)")) {
      limiter.tryAcquire().orElseThrow().lost();
      pass(7000);
      Permit slow = limiter.tryAcquire().orElseThrow();
      pass(1000);
      slow.lost(); // so the peer may count it until 13 s
      limiter.setLimit("peer(spacing(3s), unanswered=6s, margin=0s)");
      assertEquals(Duration.ofSeconds(8), limiter.estimateWait(1));
    }
  }

  /** The next went at once: two lost ones that were over stood for the one that had just gone. */
  @Test
  void lostRequestsDoNotStandForThoseThatCountAtTheirStart() {
    try (Limiter limiter =
        limiter("concurrent(2, unanswered=1s) & peer(spacing(1s), counted=0s)")) {
      for (int i = 0; i < 2; i++) {
        limiter.tryAcquire().orElseThrow().lost();
        pass(2000);
      }
      limiter.tryAcquire().orElseThrow().answered();
      limiter.setLimit("spacing(3s)");
      assertEquals(Duration.ofSeconds(3), limiter.estimateWait(1));
    }
  }

  /** The next went at once: a lost one stood for the one that had just gone. */
  @Test
  void startsStandForWholeRequestsBeforeThoseThatWereLostDo() {
    try (Limiter limiter = limiter("concurrent(2, unanswered=1s) & spacing(1s)")) {
      limiter.tryAcquire().orElseThrow().lost();
      pass(4000);
      limiter.tryAcquire().orElseThrow().answered();
      limiter.setLimit("peer(spacing(1s), counted=500ms)");
      assertEquals(0, left(limiter));
    }
  }

  /** The next went 612 ms too early: only the first sending was known. */
  @Test
  void aRequestMayBeSentAgainAfterAChange() {
    try (Limiter limiter = limiter("peer(spacing(3s), counted=20s, margin=0s)")) {
      Permit permit = limiter.tryAcquire().orElseThrow();
      limiter.setLimit("peer(spacing(1s), unanswered=0s, margin=0s)");
      pass(333);
      permit.sending();
      pass(612);
      permit.sending();
      permit.lost();
      pass(20_999);
      assertEquals(0, left(limiter));
      pass(1);
      assertEquals(1, left(limiter));
    }
  }

  /** One more went where fifty were left: the higher cost counted twice. */
  @Test
  void aCostThatTurnsOutHigherCountsOnce() throws InterruptedException {
    for (String end : List.of("answered", "not sent", "open")) {
      try (Limiter limiter = limiter("peer(99/1m) & 99/1m")) {
        limiter.setLimit("peer(100/1m) & 100/1m");
        Permit permit = limiter.acquire(1);
        pass(1000);
        permit.settle(50);
        if (end.equals("answered")) {
          permit.answered();
        } else if (end.equals("not sent")) {
          permit.notSent();
        }
        limiter.setLimit("100/1m");
        assertEquals(50, left(limiter), end);
      }
    }
  }

  private int left(Limiter limiter) {
    return takeAll(limiter).size();
  }

  /** What was settled was taken back twice: eleven went where nine were left. */
  @Test
  void anOpenPermitIsTakenBackOnceWhenSettled() throws InterruptedException {
    try (Limiter limiter = limiter("peer(10/1m)")) {
      Permit permit = limiter.acquire(5);
      pass(1000);
      limiter.setLimit("10/1m");
      permit.settle(2);
      permit.answered();
      limiter.setLimit("11/1m");
      assertEquals(9, left(limiter));
    }
  }

  /** Six more went than were left after a cost of nine. */
  @Test
  void aCostAboveItsChargeIsRemembered() throws InterruptedException {
    for (String next : List.of("peer(11/1m)", "11/1m")) {
      try (Limiter limiter = limiter("10/1m")) {
        Permit permit = limiter.acquire(5);
        pass(1000);
        limiter.setLimit("peer(10/1m)");
        permit.settle(9);
        limiter.setLimit(next);
        assertEquals(2, left(limiter), next);
      }
    }
  }

  /** Eight went though ten had started thirty seconds before. */
  @Test
  void aLateRequestThatCostsMoreIsRememberedAsOfThen() throws InterruptedException {
    try (Limiter limiter =
        Limiter.builder("peer(10/1m)").time(time).late(Duration.ofMillis(1)).build()) {
      limiter.setLimit("peer(10/1m) & 20/1m");
      limiter.setLimit("peer(10/1m) & 21/1m");
      Permit permit = limiter.acquire(2);
      pass(30_000);
      permit.sending();
      permit.settle(10);
      permit.answered();
      limiter.setLimit("10/1m");
      pass(30_001);
      assertEquals(0, left(limiter));
    }
  }

  /** Twenty starts went under ten. */
  @Test
  void aStartThatWasNotSentIsAStartAfterAnyNumberOfChanges() {
    try (Limiter limiter = limiter("10/1m & concurrent(100)")) {
      limiter.setLimit("10/1m & concurrent(99)");
      takeAll(limiter).forEach(Permit::notSent);
      limiter.setLimit("10/1m & concurrent(98)");
      assertEquals(0, left(limiter));
    }
  }

  /** Eleven went after fifteen seconds, though the first ten may be counted for a minute. */
  @Test
  void aLostRequestCountsAsLongAsItsOwnLimitSays() {
    try (Limiter limiter = limiter("peer(10/1s, unanswered=60s)")) {
      takeAll(limiter).forEach(Permit::lost);
      pass(100);
      limiter.setLimit("peer(11/1s)");
      pass(14_900);
      assertEquals(1, left(limiter));
    }
  }

  /** It was dropped by the old limit, and five seconds after the first the next one went. */
  @Test
  void aKeyIsNotDroppedByALimitThatItHasNoMore() {
    KeyedLimiter<String> keys =
        KeyedLimiter.builder("1/2s")
            .within(Limiter.builder("unlimited").time(time).executor(Runnable::run).build())
            .build();
    assertTrue(keys.tryAcquire("a").isPresent());
    pass(1666);
    keys.setLimit("1/8s");
    pass(4000);
    assertTrue(keys.tryAcquire("a").isEmpty());
  }

  /** Three went in one instant, of which each limit allows one. */
  @Test
  void aBucketGoesOnFromAnotherOnlyIfThatIsTheOne() {
    String first = "bucket(6/3s,burst=5) & bucket(1/10s)";
    String second =
        "bucket(2/8s,slack=3s) & bucket(4/3s,burst=3,pay=later,debt=2) & bucket(4/3s,burst=2)";
    try (Limiter limiter = limiter(first)) {
      int gone = left(limiter);
      limiter.setLimit(second);
      gone += left(limiter);
      limiter.setLimit(first);
      gone += left(limiter);
      assertEquals(1, gone);
    }
  }

  /** Four more went, though the four lost ones may be at work for a minute. */
  @Test
  void lostPermitsOfConcurrentCountUnderALongerUnanswered() {
    try (Limiter limiter = limiter("concurrent(4, unanswered=10s)")) {
      List<Permit> taken = takeAll(limiter);
      assertEquals(4, taken.size());
      taken.forEach(Permit::lost);
      pass(25_000);
      limiter.setLimit("concurrent(4, unanswered=60s)");
      assertEquals(0, takeAll(limiter).size());
      pass(35_000);
      assertEquals(4, takeAll(limiter).size());
    }
  }

  /** Eight more went, as the log was over when the ten ended, one after another. */
  @Test
  void permitsThatOutliveALoweringAreRemembered() {
    for (String between :
        List.of("peer(1/10s)", "peer(spacing(10s))", "peer(1/5s)", "peer(2/20s)")) {
      try (Limiter limiter = limiter("peer(10/10s)")) {
        List<Permit> slow = takeAll(limiter);
        limiter.setLimit(between);
        pass(60_000);
        for (Permit permit : slow) {
          permit.answered();
          pass(100);
        }
        limiter.setLimit("peer(10/10s)");
        assertEquals(0, left(limiter), between);
      }
    }
  }

  /** Nineteen calls went in a minute, though both limits allow ten. */
  @Test
  void aSpacingHoldsTheCallsOfTheWindowBeforeIt() {
    for (List<String> change :
        List.of(
            List.of("10/1m", "spacing(6s)"),
            List.of("peer(10/1m, margin=0s)", "peer(spacing(6s), margin=0s)"),
            List.of("10/1m & spacing(1ms)", "spacing(6s)"),
            List.of("10/1m", "spacing(6s) & 100/1m"))) {
      try (Limiter limiter = limiter(change.get(0))) {
        int gone = 0;
        for (int second = 0; second < 60; second++) {
          gone += takeAnswered(limiter);
          if (second == 0) {
            limiter.setLimit(change.get(1));
          }
          pass(1000);
        }
        assertTrue(gone <= 10, gone + " by " + change);
      }
    }
  }

  /** Six went in a second: what concurrent knew of lost requests stood for all calls. */
  @Test
  void lostRequestsOfConcurrentDoNotStandForTheCallsOfAWindow() {
    try (Limiter limiter = limiter("5/1s & concurrent(4, unanswered=3s)")) {
      limiter.tryAcquire().orElseThrow().lost();
      pass(3000);
      assertEquals(4, takeAnswered(limiter));
      assertEquals(1, takeAnswered(limiter));
      limiter.setLimit("peer(spacing(200ms))");
      pass(999);
      assertEquals(0, left(limiter));
    }
  }

  /** Requests that cost five were two calls, so a spacing of six seconds allows eight more. */
  @Test
  void aSpacingIsNotHeldUpByCosts() throws InterruptedException {
    try (Limiter limiter = limiter("unlimited")) {
      limiter.setLimit("10/1m");
      limiter.acquire(5);
      limiter.acquire(5);
      limiter.setLimit("spacing(6s)");
      int gone = 0;
      for (int second = 0; second < 59; second++) {
        pass(1000);
        gone += left(limiter);
      }
      assertEquals(8, gone);
    }
  }

  /** Fifteen started in a minute, though ten and six are what the limits allow. */
  @Test
  void startsAreComparedWithStarts() {
    for (String next :
        List.of(
            "1/10s & peer(100/1s)",
            "1/10s & peer(bucket(100/1s, burst=100))",
            "bucket(6/1m, burst=1) & peer(100/1s)",
            "1/10s & peer(100/1s, counted=2s)",
            "1/10s & aligned(100/1s)")) {
      try (Limiter limiter = limiter("peer(10/1m)")) {
        int gone = takeAnswered(limiter);
        limiter.setLimit(next);
        for (int second = 0; second < 59; second++) {
          pass(1000);
          gone += takeAnswered(limiter);
        }
        assertEquals(10, gone, next);
      }
    }
  }

  /** The bound of another measure held up what both limits allow. */
  @Test
  void endsAreNotComparedWithStarts() {
    try (Limiter limiter = limiter("peer(10/1m)")) {
      assertEquals(10, takeAll(limiter).size());
      pass(50_000);
      limiter.setLimit("10/1m");
      pass(10_061); // with the margin
      assertEquals(10, left(limiter), "whose starts are a minute after the others'");
    }
  }

  /** Sixty went in a second, one more with every change. */
  @Test
  void aFixedWindowGoesOnHoweverOftenItsLimitChanges() {
    for (String other :
        List.of("fixed(11/1s)", "fixed(10/1001ms)", "fixed(10/1s) & concurrent(100)")) {
      for (int millis : List.of(7, 10, 100, 500)) {
        try (Limiter limiter = limiter("fixed(10/1s)")) {
          int gone = 0;
          for (int i = 0; i * millis < 10_000; i++) {
            gone += takeAnswered(limiter);
            limiter.setLimit(i % 2 == 0 ? other : "fixed(10/1s)");
            pass(millis);
          }
          assertTrue(gone <= 11 * 11, gone + " in ten seconds by " + other + " every " + millis);
        }
      }
    }
  }

  /** Eight more went: a request that counts until its end was over for the bridge once sent. */
  @Test
  void aRequestThatIsSentUnderAnotherLimitCountsUntilItsEnd() {
    try (Limiter limiter = limiter("peer(10/1m)")) {
      List<Permit> slow = takeAll(limiter);
      assertEquals(10, slow.size());
      limiter.setLimit("peer(1/6s) & peer(100/1s, counted=2s)");
      pass(1000);
      slow.forEach(Permit::sending);
      pass(300_000);
      slow.forEach(Permit::answered);
      int gone = 0;
      for (int second = 0; second < 59; second++) {
        gone += takeAnswered(limiter);
        pass(1000);
      }
      assertEquals(0, gone);
    }
  }

  /** Nine more went within the minute of ten that were sent late. */
  @Test
  void aLateStartKeepsTheBridge() {
    for (String next : List.of("1/6s", "spacing(6s)")) {
      try (Limiter limiter =
          Limiter.builder("10/1m").time(time).late(Duration.ofMillis(1)).build()) {
        List<Permit> late = takeAll(limiter);
        assertEquals(10, late.size());
        pass(1000);
        limiter.setLimit(next);
        pass(59_900);
        late.forEach(Permit::sending);
        int gone = 0;
        for (int second = 0; second < 59; second++) {
          pass(1000);
          gone += left(limiter);
        }
        assertEquals(0, gone, next);
      }
    }
  }

  /** Fifteen went in ten seconds: the fixed window was taken for one that knows all. */
  @Test
  void aFixedWindowDoesNotStandForAWindow() {
    try (Limiter limiter = limiter("fixed(100/1m) & 10/10s")) {
      assertEquals(10, takeAll(limiter).size());
      pass(59_000);
      assertEquals(10, takeAll(limiter).size());
      pass(500);
      limiter.setLimit("fixed(5/1m)");
      pass(600);
      assertEquals(0, left(limiter));
    }
  }

  /** Twenty-four went in 70 ms, as the window of a minute went on, not that of a second. */
  @Test
  void aFixedWindowGoesOnFromOneOfItsLength() {
    try (Limiter limiter = limiter("fixed(10/1s) & fixed(1000/1m)")) {
      assertEquals(10, left(limiter));
      pass(970);
      limiter.setLimit("fixed(5/1s)");
      assertEquals(0, left(limiter));
    }
  }

  private int takeAnswered(Limiter limiter) {
    List<Permit> taken = takeAll(limiter);
    taken.forEach(Permit::answered);
    return taken.size();
  }
}
