package dev.pacegate.permit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Permits that stay open are warned about, and a limiter that is starved says so. */
class LeakWarningTest {

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final ManualTime time = ManualTime.manual();
  private final Heard heard = new Heard();

  @AfterEach
  void close() {
    heard.close();
  }

  private Limiter limiter(String limit) {
    return Limiter.builder(limit)
        .name("sms")
        .time(time)
        .executor(Runnable::run)
        .listener(heard)
        .build();
  }

  private static List<Permit> take(Limiter limiter, int many) {
    var permits = new ArrayList<Permit>();
    for (int i = 0; i < many; i++) {
      permits.add(limiter.tryAcquire().orElseThrow());
    }
    return permits;
  }

  // ---- open for too long

  @Test
  void aPermitIsWarnedAboutAfterAMinuteWhateverUnansweredIs() {
    Limiter limiter = limiter("peer(2/1s, unanswered=5s)");
    List<Permit> open = take(limiter, 1);
    time.advance(MINUTE.minus(SECOND));
    assertEquals(SECOND.multipliedBy(59), limiter.snapshot().oldestOpen());
    assertEquals(List.of(), heard.overdue);
    time.advance(SECOND);
    limiter.snapshot();
    assertEquals(List.of(MINUTE.toNanos()), heard.overdue);
    time.advance(MINUTE);
    limiter.snapshot();
    assertEquals(1, heard.overdue.size(), "once");
    open.get(0).answered();
  }

  @Test
  void anOldPermitIsWarnedAboutEarlierWhileARequestIsStarved() {
    Limiter limiter = limiter("concurrent(1)");
    List<Permit> open = take(limiter, 1);
    CompletableFuture<Permit> waiting = limiter.acquireAsync();
    time.advance(Duration.ofSeconds(9));
    assertEquals(List.of(), heard.overdue, "a request may well take so long");
    time.advance(Duration.ofSeconds(3));
    assertEquals(1, heard.overdue.size());
    assertEquals(1, heard.lines("has been open for").size());
    assertFalse(waiting.isDone());
    time.advance(MINUTE);
    assertEquals(1, heard.overdue.size(), "once");
    open.get(0).answered();
  }

  @Test
  void aRequestThatWaitsForTimeAloneIsNotStarvedByAnOpenPermit() {
    Limiter limiter = limiter("10/1h & concurrent(20)");
    List<Permit> open = take(limiter, 10);
    CompletableFuture<Permit> waiting = limiter.acquireAsync();
    time.advance(Duration.ofSeconds(50));
    assertEquals(List.of(), heard.overdue);
    assertFalse(waiting.isDone());
    open.forEach(Permit::answered);
  }

  @Test
  void elevenThousandPermitsAreALineButEachAnEvent() {
    Limiter limiter = limiter("concurrent(11000)");
    List<Permit> open = take(limiter, 11_000);
    time.advance(MINUTE.plus(SECOND));
    for (int i = 0; i < 20; i++) {
      limiter.snapshot();
    }
    assertEquals(11_000, heard.overdue.size());
    time.advance(MINUTE);
    limiter.snapshot();
    List<String> lines = heard.lines("open for");
    assertTrue(lines.size() <= 2, lines::toString);
    long stoodFor = lines.stream().mapToLong(line -> number(line, "sms: ")).sum();
    assertEquals(11_000, stoodFor, lines::toString);
    open.forEach(Permit::answered);
  }

  @Test
  void permitsThatAreGivenUpAreALineButEachAnEvent() {
    Limiter limiter = limiter("peer(1000/1s, abandon=10m)");
    List<Permit> open = take(limiter, 1000);
    time.advance(Duration.ofMinutes(10));
    limiter.snapshot();
    assertEquals(1000, heard.abandoned.size());
    assertEquals(1, heard.lines("now count as lost").size());
    open.forEach(Permit::answered);
  }

  private static long number(String line, String before) {
    String rest = line.substring(line.indexOf(before) + before.length());
    return Long.parseLong(rest.substring(0, rest.indexOf(' ')));
  }

  // ---- starved by what is lost

  private void lose(Limiter limiter, int lost, int answered) {
    List<Permit> permits = take(limiter, lost + answered);
    permits.subList(0, lost).forEach(Permit::lost);
    permits.subList(lost, permits.size()).forEach(Permit::answered);
  }

  @Test
  void aWindowSpentByLostRequestsSaysSoAtOnceAndUntilWhen() {
    Limiter limiter = limiter("peer(10/1m, margin=0s)");
    lose(limiter, 9, 1);
    assertEquals(List.of(), heard.starved);
    CompletableFuture<Permit> waiting = limiter.acquireAsync(2);
    assertEquals(
        List.of(new Heard.Starvation(9, 10, time.instant().plusSeconds(70))), heard.starved);
    List<String> lines = heard.lines("see unanswered, or counted");
    assertEquals(1, lines.size(), lines::toString);
    assertTrue(
        lines
            .get(0)
            .matches(
                "limiter sms: 9 of 10 permits are spent by requests without an answer"
                    + " until (\\S+ )?\\d\\d:\\d\\d:\\d\\d; see unanswered, or counted"),
        lines::toString);
    time.advance(Duration.ofSeconds(70));
    assertTrue(waiting.isDone());
  }

  @Test
  void aRequestThatIsRefusedHasItSaidToo() {
    Limiter limiter = limiter("peer(10/1s, margin=0s)");
    lose(limiter, 10, 0);
    assertTrue(limiter.tryAcquire().isEmpty());
    assertEquals(
        List.of(new Heard.Starvation(10, 10, time.instant().plusSeconds(11))), heard.starved);
    for (int i = 0; i < 10; i++) {
      assertTrue(limiter.tryAcquire().isEmpty());
    }
    assertEquals(1, heard.starved.size(), "once a minute");
  }

  @Test
  void starvationIsToldOnceMostPermitsAreLost() {
    Limiter limiter = limiter("peer(10/1m, margin=0s)");
    List<Permit> open = take(limiter, 10);
    CompletableFuture<Permit> waiting = limiter.acquireAsync();
    for (Permit permit : open.subList(0, 5)) {
      permit.lost();
    }
    assertEquals(List.of(), heard.starved, "half is not most");
    open.get(5).lost();
    assertEquals(1, heard.starved.size());
    assertFalse(waiting.isDone());
    open.forEach(Permit::answered);
  }

  @Test
  void itIsSaidAgainAfterAMinute() {
    Limiter limiter = limiter("peer(10/1s, margin=0s, unanswered=30s)");
    for (int i = 0; i < 6; i++) {
      lose(limiter, 10, 0);
      assertTrue(limiter.tryAcquire().isEmpty());
      time.advance(Duration.ofSeconds(31));
    }
    assertEquals(3, heard.starved.size());
    assertEquals(3, heard.lines("see unanswered, or counted").size());
  }

  @Test
  void otherLimitsSayItToo() {
    for (String limit :
        List.of(
            "peer(bucket(10/1s, burst=10, initial=full))",
            "aligned(10/1h)",
            "concurrent(10, unanswered=30s)",
            "peer(10/1s) & 1000/1s")) {
      heard.starved.clear();
      Limiter limiter = limiter(limit);
      lose(limiter, 10, 0);
      assertTrue(limiter.tryAcquire().isEmpty(), limit);
      assertEquals(1, heard.starved.size(), limit);
      assertEquals(10, heard.starved.get(0).lost(), limit);
    }
  }

  @Test
  void answeredPermitsStarveNothing() {
    Limiter limiter = limiter("peer(10/1s)");
    lose(limiter, 0, 10);
    assertTrue(limiter.tryAcquire().isEmpty());
    assertEquals(List.of(), heard.starved);
  }
}
