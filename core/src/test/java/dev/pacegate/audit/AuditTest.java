package dev.pacegate.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.Rate;
import java.util.List;
import org.junit.jupiter.api.Test;

class AuditTest {

  @Test
  void reportsOnEveryPromiseOfALimit() {
    Report report =
        Story.under("2/1s & bucket(4/1s, burst=2) & spacing(100ms) & concurrent(1)")
            .open(0, 250)
            .open(200, 300)
            .open(1000, 1100)
            .report();
    assertEquals(
        """
        3 requests within 1s, from 0ms to 1000ms
        kept: at most 2 in any 1s
          most: 2 within 200ms, from 0ms to 200ms
          limit that fits: at most 2 in any 1s
        kept: at most max(2, largest cost) + W * 4/1s in any W
          largest burst: 1.2, by 2 within 200ms, from 0ms to 200ms
          limit that fits: at most max(2, largest cost) + W * 4/1s in any W
        kept: starts at least 100ms apart
          smallest gap: 200ms, from 0ms to 200ms
          limit that fits: starts at least 200ms apart
        broken: at most 1 open at any instant
          most open: 2, at 200ms
          limit that fits: at most 2 open at any instant\
        """,
        report.text(instant -> instant / Story.MS + "ms"));
    assertFalse(report.kept());
    assertEquals(
        List.of(true, true, true, false), report.verdicts().stream().map(Verdict::kept).toList());
  }

  @Test
  void readsOfEachRequestWhatEachLimitCounts() {
    var audit = Audit.of(Limits.parse("3/1m & 90000/1m of tokens"));
    audit.add(0, Cost.of("tokens", 60_000));
    audit.add(1, Cost.of("tokens", 30_001));
    audit.add(2);
    assertEquals(
        """
        3 requests within 2ns, from 0 to 2
        kept: at most 3 in any 1m
          most: 3 within 2ns, from 0 to 2
          limit that fits: at most 3 in any 1m
        broken: at most 90000 of tokens in any 1m
          most: 90001 within 1ns, from 0 to 1
          limit that fits: at most 90001 of tokens in any 1m\
        """,
        audit.report().text());
  }

  @Test
  void reportsNothingOnNothing() {
    Report report = Audit.of(Limits.parse("10/1m & concurrent(2)")).report();
    assertTrue(report.kept());
    assertEquals(
        """
        0 requests
        kept: at most 10 in any 1m
        kept: at most 2 open at any instant\
        """,
        report.text());
    assertEquals(0, report.count());
    assertEquals(new Report(1, 7, 5, 5, false, List.of()), unlimited().add(5, 7).report());
  }

  @Test
  void saysSoWhenWholeRequestsWereJudgedByTheirStarts() {
    assertEquals(
        "1 request of cost 5, at 0 ns, no ends: judged by starts alone",
        firstLine(Audit.of(Limits.parse("peer(10/1m)")).add(0, 5)));
    assertEquals(
        "1 request of cost 5, at 0 ns", firstLine(Audit.of(Limits.parse("10/1m")).add(0, 5)));
    assertEquals(
        "1 request, at 0 ns", firstLine(Audit.of(Limits.parse("peer(10/1m)")).add(0, 1, Cost.ONE)));
    assertEquals(
        "2 requests within 4ns, from 0 ns to 4 ns",
        firstLine(Audit.of(Limits.parse("peer(10/1m)")).add(0, 1, Cost.ONE).add(4)));
  }

  private static String firstLine(Audit audit) {
    return audit.report().text(instant -> instant + " ns").lines().findFirst().orElseThrow();
  }

  @Test
  void refusesWhatIsOutOfOrderAndGoesOn() {
    var audit = Audit.of(Limits.parse("10/1m"));
    audit.add(Long.MAX_VALUE).add(Long.MIN_VALUE); // the next nanosecond
    var refusal = assertThrows(OutOfOrderException.class, () -> audit.add(Long.MAX_VALUE));
    assertEquals(
        "out of order: 9223372036854775807 comes after -9223372036854775808", refusal.getMessage());
    assertEquals(Long.MAX_VALUE, refusal.instant());
    assertEquals(Long.MIN_VALUE, refusal.earliest());

    audit.add(Long.MIN_VALUE);
    assertEquals(3, audit.report().count());
    assertEquals(3, audit.verdict().measured());
  }

  @Test
  void refusesAnEndBeforeItsStart() {
    var audit = Audit.of(Limits.parse("10/1m"));
    var refusal = assertThrows(OutOfOrderException.class, () -> audit.add(5, 4, Cost.ONE));
    assertEquals("the end 4 is before its start 5", refusal.getMessage());
    assertEquals(4, refusal.instant());
    assertEquals(5, refusal.earliest());
    assertEquals(0, audit.report().count());
  }

  @Test
  void refusesLogsOfMoreThanThreeCenturies() {
    var audit = unlimited().add(-1).add(Long.MAX_VALUE - 1);
    assertThrows(IllegalArgumentException.class, () -> audit.add(Long.MAX_VALUE));
    assertThrows(
        IllegalArgumentException.class,
        () -> audit.add(Long.MAX_VALUE - 1, Long.MAX_VALUE, Cost.ONE));
    assertEquals(2, audit.report().count());
  }

  @Test
  void refusesNegativeCostsAndSenselessPromises() {
    assertThrows(IllegalArgumentException.class, () -> unlimited().add(0, -1));
    for (Promise senseless :
        List.of(
            new Promise.AtMost(1, 0, Measure.PLAIN, false),
            new Promise.AtMost(-1, 1, Measure.PLAIN, true),
            new Promise.PerWindow(1, 0, Measure.PLAIN),
            new Promise.PerWindow(-1, 1, Measure.PLAIN),
            new Promise.Refilled(-1, new Rate(1, 1), 0, Measure.PLAIN, false),
            new Promise.Refilled(1, new Rate(1, 1), -1, Measure.PLAIN, false),
            new Promise.Open(-1))) {
      assertThrows(IllegalArgumentException.class, () -> Audit.of(List.of(senseless)));
    }
  }

  @Test
  void saturatesTheSumOfCosts() {
    assertEquals(
        Long.MAX_VALUE, unlimited().add(0, Long.MAX_VALUE).add(1, Long.MAX_VALUE).report().cost());
  }

  @Test
  void hasTheVerdictOnASinglePromiseOnly() {
    assertTrue(Audit.of(Limits.parse("1/1s")).add(0).verdict().kept());
    assertThrows(IllegalStateException.class, () -> unlimited().verdict());
    assertThrows(
        IllegalStateException.class, () -> Audit.of(Limits.parse("1/1s & 2/1m")).verdict());
  }

  @Test
  void answersAtAnyTimeAndGoesOn() {
    var audit = Audit.of(Limits.parse("2/1us"));
    for (long at = 0; at < 100_000; at += 300) {
      audit.add(at);
      audit.report();
    }
    var once = Audit.of(Limits.parse("2/1us"));
    for (long at = 0; at < 100_000; at += 300) {
      once.add(at);
    }
    assertEquals(once.report(), audit.report());
  }

  @Test
  void namesTheSmallestLimitThatWouldHaveHeld() {
    assertEquals("at most 3 in any 1s", tightest(Story.under("10/1s").at(0, 10, 999, 2000)));
    assertEquals(
        "at most max(2, largest cost) + W * 1/1s in any W",
        tightest(Story.under("bucket(1/1s, burst=9, slack=1s)").at(0, 900)));
    assertEquals("starts at least 9ms apart", tightest(Story.under("spacing(1s)").at(0, 9)));
    assertEquals(
        "at most 2 open at any instant",
        tightest(Story.under("concurrent(9)").open(0, 2).open(1, 2)));

    assertEquals(
        "at most 4 in each of its own 1s windows: 4 * (ceil(W / 1s) + 1) in any W",
        tightest(Story.under("fixed(1/1s)").at(0, 0, 0, 0, 0, 0, 0, 2000)));

    Verdict none = Story.under("spacing(1s)").verdict();
    assertSame(none.promise(), none.tightest());
  }

  private static String tightest(Story story) {
    Promise tightest = story.verdict().tightest();
    return tightest.text();
  }

  /** Whatever was done, the tightest promise was kept, and none that is tighter. */
  @Test
  void findsThatTheSmallestLimitWasKeptAndNoSmallerOne() {
    Log.forMany(
        300,
        50,
        (log, name) -> {
          for (boolean whole : new boolean[] {false, true}) {
            checkTightest(log, new Promise.AtMost(5, 50, Measure.PLAIN, whole), name);
            checkTightest(
                log, new Promise.Refilled(5, new Rate(1, 7), 3, Measure.PLAIN, whole), name);
          }
          checkTightest(log, new Promise.Gap(5, false), name);
          checkTightest(log, new Promise.Open(2), name);
        });
  }

  private static void checkTightest(Log log, Promise promise, String name) {
    Verdict verdict = log.audit(promise, 0);
    Promise tightest = verdict.tightest();
    assertTrue(log.audit(tightest, 0).kept(), name);
    if (!verdict.where().isEmpty()) {
      assertEquals(verdict.measured(), log.audit(tightest, 0).measured(), name);
      Promise tighter = tighter(tightest);
      boolean mayHold = tighter instanceof Promise.Refilled p && !p.countsWhole();
      assertTrue(mayHold || !log.audit(tighter, 0).kept(), name + " " + tighter);
    }
  }

  private static Promise tighter(Promise promise) {
    if (promise instanceof Promise.AtMost p) {
      return new Promise.AtMost(p.max() - 1, p.nanos(), p.of(), p.countsWhole());
    }
    if (promise instanceof Promise.Refilled p) {
      return new Promise.Refilled(p.burst() - 1, p.rate(), 0, p.of(), p.countsWhole());
    }
    if (promise instanceof Promise.Gap p) {
      return new Promise.Gap(p.nanos() + 1, p.countsWhole());
    }
    return new Promise.Open(((Promise.Open) promise).max() - 1);
  }

  private static Audit unlimited() {
    return Audit.of(Limits.unlimited());
  }
}
