package dev.pacegate.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Peer;
import dev.pacegate.limit.Promise;
import dev.pacegate.time.Durations;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits of peers that count a request at most some time after its start: {@code counted=2s}. */
class CountedTest {

  private final ManualTime time = ManualTime.manual();

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  private static int take(Limiter limiter, List<Permit> permits) {
    int taken = 0;
    while (true) {
      var permit = limiter.tryAcquire();
      if (permit.isEmpty()) {
        return taken;
      }
      permits.add(permit.orElseThrow());
      taken++;
    }
  }

  private static int take(Limiter limiter) {
    return take(limiter, new ArrayList<>());
  }

  /** Answers take 30 s. 60 a minute are allowed, and one is sent whenever it may be. */
  private double perMinute(String limit) {
    Limiter api = limiter(limit);
    record Sent(long at, Permit permit) {}
    var open = new ArrayList<Sent>();
    int sent = 0;
    for (int tenths = 0; tenths < 60 * 60 * 10; tenths++) {
      time.advance(Duration.ofMillis(100));
      while (!open.isEmpty() && time.nanoTime() - open.get(0).at >= 30_000_000_000L) {
        open.remove(0).permit.answered();
      }
      for (var permit = api.tryAcquire(); permit.isPresent(); permit = api.tryAcquire()) {
        open.add(new Sent(time.nanoTime(), permit.orElseThrow()));
        sent++;
      }
    }
    open.forEach(one -> one.permit.answered());
    assertEquals(0, api.snapshot().open());
    return sent / 60.0;
  }

  @Test
  void aLongAnswerCostsNothing() {
    double whole = perMinute("peer(60/1m)");
    assertTrue(whole > 38 && whole < 42, whole + " a minute");
    double counted = perMinute("peer(60/1m, counted=2s)");
    assertTrue(counted >= 0.965 * 60, counted + " a minute");
  }

  @ParameterizedTest
  @CsvSource({
    "'peer(2/10s, counted=2s, margin=0s)', 12s, 2",
    "'peer(bucket(2/10s, burst=2, initial=full), counted=2s, margin=0s)', 7s, 1",
    "'peer(spacing(5s), counted=2s, margin=0s)', 7s, 1"
  })
  void anOpenPermitIsOverAtItsBoundAtTheLatest(String limit, String wait, int again) {
    Limiter api = limiter(limit);
    take(api);
    time.advance(Durations.parse(wait).minusNanos(1));
    assertEquals(0, take(api));
    time.advance(Duration.ofNanos(1));
    assertEquals(again, take(api));
  }

  @Test
  void anAnswerBeforeTheBoundIsTheEnd() {
    Limiter api = limiter("peer(1/10s, counted=2s, margin=0s)");
    Permit permit = api.tryAcquire().orElseThrow();
    time.advance(Duration.ofMillis(500));
    permit.answered();
    assertEquals(Duration.ofSeconds(10), api.estimateWait(1));
  }

  @Test
  void aLostRequestIsOverAtItsBoundNotNow() {
    Limiter api = limiter("peer(1/10s, counted=2s, margin=0s)");
    Permit permit = api.tryAcquire().orElseThrow();
    time.advance(Duration.ofMillis(500));
    permit.lost();
    time.advance(Duration.ofMillis(11_499));
    assertEquals(0, take(api));
    time.advance(Duration.ofMillis(1));
    assertEquals(1, take(api));
  }

  @Test
  void anUnsentRequestIsGivenBackEvenLate() {
    Limiter api = limiter("peer(1/10s, counted=2s)");
    Permit permit = api.tryAcquire().orElseThrow();
    time.advance(Duration.ofSeconds(5));
    permit.notSent();
    assertEquals(1, take(api));
  }

  /** The program prepares for a while before it sends. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "peer(1/10s, counted=2s, margin=0s)",
        "peer(bucket(1/10s, burst=1, initial=full), counted=2s, margin=0s)",
        "peer(1/10s, counted=2s, margin=0s) & concurrent(5)"
      })
  void theBoundRunsFromTheSending(String limit) {
    Limiter api = limiter(limit);
    Permit permit = api.tryAcquire().orElseThrow();
    time.advance(Duration.ofSeconds(1));
    permit.sending();
    time.advance(Duration.ofMillis(11_999));
    assertEquals(0, take(api));
    time.advance(Duration.ofMillis(1));
    assertEquals(1, take(api));
    permit.answered();
  }

  @Test
  void aRequestThatIsSentAfterItsBoundIsChargedAgain() {
    Limiter api = limiter("peer(1/10s, counted=2s, margin=0s)");
    Permit permit = api.tryAcquire().orElseThrow();
    time.advance(Duration.ofSeconds(12));
    permit.sending();
    assertEquals(0, take(api));
    time.advance(Duration.ofMillis(11_999));
    assertEquals(0, take(api));
    time.advance(Duration.ofMillis(1));
    assertEquals(1, take(api));
  }

  /** Whatever comes after the sending, the bound is not forgotten. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "lost",
        "settled",
        "changed",
        "changed to a longer interval",
        "changed, then lost",
        "twice"
      })
  void theSendingIsNotForgotten(String then) {
    for (String kind : List.of("2/10s", "bucket(2/10s, burst=2, initial=full)")) {
      Limiter api = limiter("peer(" + kind + ", counted=5s, margin=0s)");
      Permit permit = api.tryAcquire(1).orElseThrow();
      Permit other = api.tryAcquire(1).orElseThrow();
      other.notSent();
      time.advance(Duration.ofMillis(4_900));
      permit.sending();
      switch (then) {
        case "lost" -> permit.lost();
        case "settled" -> permit.settle(2);
        case "changed" -> api.setLimit("peer(2/9s, counted=5s, margin=0s)");
        case "changed to a longer interval" -> api.setLimit("peer(2/30s, counted=5s, margin=0s)");
        case "changed, then lost" -> {
          api.setLimit("peer(2/9s, counted=5s, margin=0s)");
          permit.lost();
          api.setLimit("peer(2/10s, counted=5s, margin=0s)");
        }
        default -> {
          time.advance(Duration.ofMillis(100));
          permit.sending();
        }
      }
      int free = take(api);
      time.advance(Duration.ofSeconds(5)); // over at 9.9 s, not at 5 s
      free += take(api);
      time.advance(Duration.ofMillis(4_999)); // 14.899 s: two more only as the peer allows
      free += take(api);
      int most = kind.startsWith("bucket") ? 3 : 1;
      assertTrue(free <= most, free + " of " + kind + ", " + then);
    }
  }

  @Test
  void anAnswerSoonAfterALateSendingIsTheEnd() {
    Limiter api = limiter("peer(1/10s, counted=2s, margin=0s)");
    Permit permit = api.tryAcquire().orElseThrow();
    time.advance(Duration.ofSeconds(3));
    permit.sending();
    time.advance(Duration.ofMillis(100));
    permit.answered();
    assertEquals(Duration.ofSeconds(10), api.estimateWait(1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"peer(5/1s, counted=2s)", "peer(bucket(5/1s, burst=5), counted=2s)"})
  void severalSendingsChargeOnce(String limit) {
    Limiter api = limiter(limit);
    time.advance(Duration.ofSeconds(20));
    Permit permit = api.tryAcquire().orElseThrow();
    for (int i = 0; i < 6; i++) {
      time.advance(Duration.ofSeconds(1));
      permit.sending();
    }
    assertEquals(4, take(api));
  }

  /** A limit of starts knows a request by its release, so only there is its cost corrected. */
  @ParameterizedTest
  @ValueSource(strings = {"10/1m", "10_000/1m"})
  void aCostThatIsCorrectedAfterTheSendingIsThatOfTheRelease(String starts) {
    Limiter api = limiter(starts + " & peer(20_000/1m, counted=2s)");
    long half = starts.startsWith("10_") ? 5_000 : 5;
    Permit early = api.tryAcquire(half).orElseThrow();
    time.advance(Duration.ofMillis(1_900));
    Permit other = api.tryAcquire(half).orElseThrow();
    early.sending();
    early.settle(1);
    time.advance(Duration.ofMillis(58_100)); // the early one is a minute old
    assertTrue(api.tryAcquire(half + 1).isEmpty());
    other.answered();
    early.answered();
  }

  @Test
  void aBucketCountsAnOpenPermitOnce() {
    Limiter api = limiter("peer(bucket(10/1s, burst=10, initial=full), counted=1s)");
    assertEquals(10, take(api));
    time.advance(Duration.ofSeconds(10));
    api.setLimit("peer(bucket(11/1s, burst=10), counted=1s)");
    assertEquals(10, take(api));
  }

  /** Permits that are open, but over, are not counted twice by the limit that takes over. */
  @ParameterizedTest
  @ValueSource(strings = {"peer(20/1m, counted=2s)", "peer(15/30s, counted=1s)", "peer(20/1m)"})
  void aChangeCountsAnOpenPermitOnce(String next) {
    Limiter api = limiter("peer(10/1m, counted=2s)");
    var permits = new ArrayList<Permit>();
    assertEquals(10, take(api, permits));
    time.advance(Duration.ofSeconds(10));
    api.setLimit(next);
    assertEquals(Limits.parse(next).promises().get(0).atOnce() - 10, take(api, permits));
    permits.forEach(Permit::answered);
    assertEquals(0, api.snapshot().open());
  }

  /** A term whose bound is shorter than the next limit's knows ends too early for it. */
  @Test
  void theTermOfTheLongestBoundTellsTheNextLimit() {
    for (String first :
        List.of(
            "peer(9/1s, counted=0s, margin=0s) & peer(8/1s, counted=2s, margin=0s)",
            "peer(9/1s, counted=2s, margin=0s) & peer(8/1s, counted=0s, margin=0s)")) {
      Limiter api = limiter(first);
      var permits = new ArrayList<Permit>();
      assertEquals(8, take(api, permits));
      time.advance(Duration.ofSeconds(1));
      permits.forEach(Permit::answered); // the first term counts them at their starts
      time.advance(Duration.ofMillis(500));
      api.setLimit("peer(10/1s, counted=2s, margin=0s)");
      assertEquals(2, take(api));
    }
  }

  /** {@code concurrent} tells of lost requests alone, and so never instead of a window. */
  @Test
  void aWindowTellsTheNextLimitNotConcurrent() {
    Cost mb = Cost.ONE.and("mb", 1); // of which both count the same
    String window = "/1h of mb, counted=30s, margin=0s)";
    Limiter api = limiter("peer(100" + window + " & concurrent(50, unanswered=40s) of mb");
    for (int i = 0; i < 100; i++) {
      Permit permit = api.tryAcquire(mb).orElseThrow();
      if (i == 0) {
        permit.lost();
      } else {
        permit.answered();
      }
    }
    api.setLimit("peer(150" + window);
    for (int i = 0; i < 50; i++) {
      assertTrue(api.tryAcquire(mb).isPresent());
    }
    assertTrue(api.tryAcquire(mb).isEmpty());
  }

  @Test
  void backToTheWholeAnswerWhatIsOpenCountsUntilItsEnd() {
    Limiter api = limiter("peer(10/1m, counted=2s)");
    var permits = new ArrayList<Permit>();
    take(api, permits);
    api.setLimit("peer(10/1m)");
    time.advance(Duration.ofMinutes(5));
    assertEquals(0, take(api));
    permits.forEach(Permit::answered);
    time.advance(Duration.ofSeconds(61));
    assertEquals(10, take(api));
  }

  @Test
  void theAuditJudgesByTheBound() {
    long second = 1_000_000_000;
    var counted = Audit.of(Limits.parse("peer(1/10s, counted=2s)"));
    var whole = Audit.of(Limits.parse("peer(1/10s)"));
    for (Audit audit : List.of(counted, whole)) {
      audit.add(0, 30 * second, Cost.ONE);
      audit.add(12 * second, 42 * second, Cost.ONE);
    }
    assertTrue(counted.verdict().kept());
    assertTrue(!whole.verdict().kept());
    counted.add(24 * second - 1, 24 * second, Cost.ONE);
    assertTrue(!counted.verdict().kept());
    assertEquals(
        "at most 1 in any 10s, counted by the peer at any time between start and end"
            + " and at most 2s after the start",
        counted.verdict().promise().text());
  }

  /** Only a limit of a user's own can make such a promise. */
  @Test
  void aWindowOfTheCalendarStaysOne() {
    Promise minute = Limits.parse("aligned(10/1m)").promises().get(0);
    var counted = new Promise.Counted(minute, 1);
    Instant turned = Instant.parse("2030-01-01T12:00:05Z");
    assertTrue(counted.followsCalendar());
    assertTrue(counted.mayHaveTurned(turned, 30_000_000_000L));
    assertTrue(!counted.mayHaveTurned(turned, 1));
  }

  @Test
  void theTextIsReadAndWritten() {
    String text = "peer(60/1m, counted=2s)";
    Limit limit = Limits.parse(text);
    assertEquals(text, limit.toString());
    assertEquals(limit, ((Peer) Limits.parse("peer(60/1m)")).counted(Duration.ofSeconds(2)));
    assertEquals(2_000_000_000L, limit.unansweredNanos());
    var both =
        assertThrows(
            IllegalArgumentException.class,
            () -> Limits.parse("peer(60/1m, unanswered=5s, counted=2s)"));
    assertTrue(String.valueOf(both.getMessage()).contains("counted says how long"), both::toString);
    var later =
        assertThrows(IllegalArgumentException.class, () -> limit.unanswered(Duration.ofSeconds(5)));
    assertEquals("unanswered=5s contradicts counted=2s", later.getMessage());
  }
}
