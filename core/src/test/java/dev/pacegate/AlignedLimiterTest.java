package dev.pacegate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Windows of the calendar, and clocks that are set. */
class AlignedLimiterTest {

  private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");

  private final ManualTime time = ManualTime.manual(Long.MAX_VALUE - 5);

  private Limiter limiter(String limit, Instant now) {
    time.setInstant(now);
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  private static List<Permit> takeAll(Limiter limiter) {
    var permits = new ArrayList<Permit>();
    for (var permit = limiter.tryAcquire(); permit.isPresent(); permit = limiter.tryAcquire()) {
      permits.add(permit.get());
    }
    return permits;
  }

  private static int closeAll(List<Permit> permits) {
    permits.forEach(Permit::answered);
    return permits.size();
  }

  @Test
  void allOfAWindowGoesAtOnceAndAgainWhenTheNextHasBegun() {
    Limiter limiter = limiter("aligned(3/1m)", NOON.plusSeconds(50));
    assertEquals(3, closeAll(takeAll(limiter)));
    assertEquals(Duration.ofSeconds(11), limiter.estimateWait(1), "a second after the minute");
    time.advance(Duration.ofSeconds(11).minusNanos(1));
    assertEquals(0, takeAll(limiter).size());
    time.advanceNanos(1);
    assertEquals(3, closeAll(takeAll(limiter)));
  }

  @Test
  void aRequestAroundABeginningIsChargedOnBothSides() {
    Limiter limiter = limiter("aligned(3/1m)", NOON.plusMillis(59_500));
    assertEquals(3, closeAll(takeAll(limiter)));
    time.advance(Duration.ofSeconds(20));
    assertEquals(0, takeAll(limiter).size());
    assertEquals(Duration.ofMillis(41_500), limiter.estimateWait(1), "until 12:02:01");
  }

  @Test
  void anOpenRequestIsChargedToEveryWindowItLastsInto() {
    Limiter limiter = limiter("aligned(3/1m)", NOON.plusSeconds(10));
    List<Permit> open = takeAll(limiter);
    time.advance(Duration.ofMinutes(5));
    assertEquals(0, takeAll(limiter).size());
    open.get(0).answered();
    assertEquals(0, takeAll(limiter).size(), "it may have been counted just now");
    open.get(1).notSent();
    assertEquals(1, takeAll(limiter).size(), "it never was");
  }

  @Test
  void aLostRequestIsChargedUntilItCanNoLongerBeCounted() {
    Limiter limiter = limiter("aligned(2/10s, unanswered=25s)", NOON.plusSeconds(1));
    takeAll(limiter).forEach(Permit::lost);
    assertEquals(Duration.ofSeconds(30), limiter.estimateWait(1), "the window of 12:00:26");
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  void aClockThatIsSetBackOpensNoWindowAgain() {
    Limiter limiter = limiter("aligned(3/1m, margin=0s)", NOON.plusSeconds(30));
    assertEquals(2, closeAll(takeAll(limiter).subList(0, 2)), "of three, one stays open");
    for (String set : List.of("11:59:30", "11:00:00", "12:00:00", "12:00:29")) {
      time.setInstant(Instant.parse("2026-11-20T" + set + "Z"));
      assertEquals(0, takeAll(limiter).size(), set);
    }
    time.setInstant(NOON.minusSeconds(90));
    assertEquals(Duration.ofSeconds(150), limiter.estimateWait(1), "until 12:01");
    time.advance(Duration.ofSeconds(150));
    assertEquals(2, takeAll(limiter).size(), "but for the one that is open");
  }

  @Test
  void aClockThatIsSetBackIntoAWindowThatWasLeftWaitsForTheNextOne() {
    Limiter limiter = limiter("aligned(3/1m, margin=0s)", NOON);
    assertEquals(3, closeAll(takeAll(limiter)));
    time.advance(Duration.ofMinutes(1));
    limiter.tryAcquire().orElseThrow().answered(); // in the window of 12:01
    time.setInstant(NOON.plusSeconds(59));
    assertEquals(Duration.ofSeconds(1), limiter.estimateWait(1));
    assertTrue(limiter.tryAcquire().isEmpty());
  }

  @Test
  void aWaiterFindsOutThatAClockWasSetForward() {
    Limiter limiter = limiter("aligned(1/1d)", NOON);
    assertEquals(1, closeAll(takeAll(limiter)));
    CompletableFuture<Permit> next = limiter.acquireAsync();
    time.setInstant(NOON.plus(Duration.ofHours(13))); // the machine has slept
    assertFalse(next.isDone());
    time.advance(Duration.ofMinutes(1));
    assertTrue(next.isDone());
  }

  @Test
  void aThreadThatWaitsLooksAtTheClockEveryMinute() throws InterruptedException {
    ManualTime self = ManualTime.selfAdvancing();
    self.setInstant(NOON);
    Limiter limiter = Limiter.builder("aligned(1/1d)").time(self).build();
    limiter.acquire().answered();
    self.at(
        self.nanoTime() + 90_000_000_000L, () -> self.setInstant(NOON.plus(Duration.ofHours(13))));
    limiter.acquire().answered();
    assertTrue(self.instant().isBefore(NOON.plus(Duration.ofHours(13)).plusSeconds(61)));
  }

  @Test
  void aDayIsAsLongAsItsClocksSay() {
    // In Berlin the 25th of October 2026 has 25 hours.
    Limiter limiter =
        limiter("aligned(1/1d, zone=Europe/Berlin)", Instant.parse("2026-10-24T22:00:02Z"));
    assertEquals(1, closeAll(takeAll(limiter)));
    assertEquals(Duration.ofHours(25).minusSeconds(1), limiter.estimateWait(1));
  }

  @Test
  void theNewWindowIsReadBesideOtherLimits() {
    Limiter limiter = limiter("aligned(10/1m) & concurrent(2) & bucket(1/10s, burst=5)", NOON);
    assertEquals(2, closeAll(takeAll(limiter)));
    assertEquals(2, closeAll(takeAll(limiter)));
    assertEquals(1, closeAll(takeAll(limiter)));
    time.advance(Duration.ofSeconds(70));
    assertEquals(2, closeAll(takeAll(limiter)));
  }

  @Test
  void aNewLimitKeepsTheCount() {
    Limiter limiter = limiter("aligned(3/1m)", NOON.plusSeconds(10));
    assertEquals(3, closeAll(takeAll(limiter)));
    limiter.setLimit("aligned(5/1m)");
    assertEquals(2, closeAll(takeAll(limiter)));
    limiter.setLimit("aligned(2/1m)");
    assertEquals(Duration.ofSeconds(51), limiter.estimateWait(1));
  }

  @Test
  void keysHaveCalendarsOfTheirOwn() {
    time.setInstant(NOON.plusSeconds(10));
    Limiter all = Limiter.builder("unlimited").time(time).executor(Runnable::run).build();
    var keyed = KeyedLimiter.builder("aligned(2/1m)").within(all).<String>build();
    for (int i = 0; i < 2; i++) {
      keyed.tryAcquire("a").orElseThrow().answered();
    }
    assertTrue(keyed.tryAcquire("a").isEmpty());
    keyed.tryAcquire("b").orElseThrow().answered();
    assertEquals(2, keyed.size());
    time.advance(Duration.ofMinutes(2));
    keyed.tryAcquire("b").orElseThrow().answered();
    assertEquals(1, keyed.size(), "the other one is at rest");
  }

  @Test
  void answersTellHowFarThePeersClockIs() {
    Limiter limiter = limiter("aligned(1/1m, margin=10s)", NOON.plusSeconds(15));
    for (int i = 0; i < 20; i++) { // the peer is 3 s ahead, and answers within 100 ms
      Permit permit = limiter.tryAcquire().orElseThrow();
      time.advanceNanos(100_000_000);
      PeerSays.date(limiter, permit, time.instant().plusSeconds(3).minusNanos(50_000_000));
      permit.notSent();
      time.advanceNanos(900_000_000 + i * 7_000_000);
    }
    limiter.tryAcquire().orElseThrow().answered();
    Duration wait = limiter.estimateWait(1);
    Instant next = time.instant().plus(wait);
    Instant peers = NOON.plusSeconds(60 - 3);
    assertFalse(next.isBefore(peers));
    assertTrue(next.isBefore(peers.plusMillis(300)), () -> next + " where " + peers + " is due");
    // What was learned was of a clock that is no longer the same.
    time.setInstant(time.instant().plusSeconds(1));
    assertEquals(NOON.plusSeconds(70), time.instant().plus(limiter.estimateWait(1)));
  }

  @Test
  void anUnsentRequestOfAnUnknownCostStopsNothing() {
    Limiter limiter = limiter("unlimited", NOON.plusSeconds(10));
    limiter.setLimit("peer(spacing(1s))"); // counts calls
    Permit permit = limiter.tryAcquire(5).orElseThrow();
    limiter.setLimit("aligned(10/1m)");
    permit.notSent();
    assertEquals(10, takeAll(limiter).size());
  }

  @Test
  void aLongOpenRequestCountsUnderANewLimit() {
    Limiter limiter = limiter("10/1m & concurrent(4)", NOON.plusSeconds(10));
    Permit old = limiter.tryAcquire().orElseThrow();
    time.advance(Duration.ofMinutes(3));
    limiter.setLimit("aligned(2/1m)");
    assertEquals(1, takeAll(limiter).size(), "the peer may count the old one now");
    old.notSent();
    assertEquals(1, takeAll(limiter).size(), "it never was");
  }

  @Test
  void aNewLimitOpensNoWindowAgainEither() {
    Limiter limiter = limiter("aligned(3/1m, margin=0s)", NOON.plusSeconds(10));
    assertEquals(3, closeAll(takeAll(limiter)));
    time.setInstant(NOON.minusSeconds(20));
    limiter.setLimit("aligned(3/1m, margin=0s, unanswered=2m)");
    assertEquals(Duration.ofSeconds(80), limiter.estimateWait(1), "until 12:01");
    time.advance(Duration.ofSeconds(25));
    assertEquals(0, takeAll(limiter).size());
  }

  @Test
  void aJumpForwardMakesNothingOlder() {
    Limiter limiter = limiter("aligned(3/1m)", NOON.plusSeconds(30));
    assertEquals(3, closeAll(takeAll(limiter)));
    time.setInstant(NOON.plusSeconds(340));
    assertEquals(Duration.ZERO, limiter.estimateWait(1));
    limiter.setLimit("starts(3/1m)");
    assertEquals(Duration.ofMinutes(1), limiter.estimateWait(1));
  }

  @Test
  void anAnswerOutOfACacheStopsNoRequestForLong() {
    Limiter limiter = limiter("aligned(100/1d)", NOON);
    Permit permit = limiter.tryAcquire().orElseThrow();
    PeerSays.date(limiter, permit, NOON.minus(Duration.ofHours(20)));
    permit.answered();
    assertEquals(Duration.ZERO, limiter.estimateWait(1));
    Limiter month = limiter("aligned(100/1mo)", Instant.parse("2026-11-01T00:00:10Z"));
    Permit other = month.tryAcquire().orElseThrow();
    PeerSays.date(month, other, Instant.parse("2026-10-31T23:00:00Z"));
    assertTrue(month.estimateWait(1).compareTo(Duration.ofMinutes(1)) <= 0);
  }

  @Test
  void aPeerWithoutAClockStopsNoRequest() {
    Limiter limiter = limiter("aligned(100/1m)", NOON.plusSeconds(10));
    for (int i = 0; i < 20; i++) {
      Permit permit = limiter.tryAcquire().orElseThrow();
      PeerSays.date(limiter, permit, Instant.ofEpochSecond(600 + i)); // since it was switched on
      permit.answered();
      time.advance(Duration.ofSeconds(1));
    }
    assertEquals(Duration.ZERO, limiter.estimateWait(1));
  }

  @Test
  @Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aClockFromBeyondTheCalendarIsSurvived() {
    for (Instant instant :
        List.of(
            Instant.MAX,
            Instant.MIN,
            Instant.parse("2262-04-11T23:47:16Z"),
            Instant.parse("1677-09-21T00:12:44Z"))) {
      for (String window : List.of("1m", "1d", "1w", "1mo", "12mo")) {
        Meter meter = Limits.parse("aligned(3/" + window + ")").newMeter(0, () -> instant);
        assertEquals(0, meter.nanosUntil(0, 0, Cost.of(3)));
        meter.release(0, 0, Cost.of(3));
        assertTrue(meter.nanosUntil(0, 0, Cost.ONE) > 0);
      }
    }
  }

  @Test
  void yesterdaysQuotaIsNotTakenFromToday() {
    Limiter limiter = limiter("aligned(50/1d)", NOON.plusSeconds(12 * 3600 - 5));
    Permit permit = limiter.tryAcquire().orElseThrow();
    time.advance(Duration.ofSeconds(10));
    Quota nothingLeft = Quota.remaining(0);
    assertEquals(0, PeerSays.quota(limiter, permit, nothingLeft), "that may have been yesterday");
    permit.answered();
    Permit today = limiter.tryAcquire().orElseThrow();
    time.advance(Duration.ofSeconds(1));
    assertEquals(48, PeerSays.quota(limiter, today, nothingLeft), "that is today");
  }

  @Test
  void thePeersCountOfItsMonthIsHeeded() throws InterruptedException {
    Limiter limiter = limiter("aligned(1000/1mo)", NOON);
    long taken = PeerSays.quota(limiter, limiter.acquire(), Quota.remaining(10));
    assertEquals(989, taken);
    assertTrue(limiter.tryAcquire(11).isEmpty());
    assertTrue(limiter.tryAcquire(10).isPresent());
  }
}
