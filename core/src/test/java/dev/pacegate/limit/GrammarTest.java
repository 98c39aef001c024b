package dev.pacegate.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.spi.Meter;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.Period;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GrammarTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        // What is written; how it is written back.
        "10/1m; 10/1m",
        "10/m; 10/1m",
        "10/min; 10/1m",
        "5/s; 5/1s",
        "10/60s; 10/1m",
        "10/90s; 10/90s",
        "10/1h30m; 10/90m",
        "10/1d12h; 10/36h",
        "10/1s1ms; 10/1001ms",
        "10/24h; 10/1d",
        "1000/1000ms; 1000/1s",
        "1_000/1m; 1000/1m",
        "10/1_000us; 10/1ms",
        "3/10ns; 3/10ns",
        "10/36500d; 10/36500d",
        "'  10 / 1m  '; 10/1m",
        "90000/1m of tokens; 90000/1m of tokens",
        "10/1m of and; 10/1m of and",
        "10/1s & 200/1m; 10/1s & 200/1m",
        "10/1s and 200/1m; 10/1s & 200/1m",
        "10/1s&200/1m&concurrent(4); 10/1s & 200/1m & concurrent(4)",
        "10/1s & 10/1s; 10/1s & 10/1s",
        "bucket(100/1s); bucket(100/1s)",
        "'bucket(100/1s, burst=1)'; bucket(100/1s)",
        "'bucket( 100/s ,burst = 20 )'; 'bucket(100/1s, burst=20)'",
        "'bucket(1/1s, of=tokens, oversize=never, initial=empty, slack=1000us, burst=2)';"
            + " 'bucket(1/1s, burst=2, slack=1ms, initial=empty, oversize=never, of=tokens)'",
        "'bucket(5/1s, burst=5, pay=later)'; 'bucket(5/1s, burst=5, pay=later)'",
        "'bucket(5/1s, debt=5, pay=later, burst=5)'; 'bucket(5/1s, burst=5, pay=later)'",
        "'bucket(5/1s, slack=1ms, pay=later, debt=9)'; 'bucket(5/1s, pay=later, debt=9, slack=1ms)'",
        "'bucket(5/1s, pay=now)'; bucket(5/1s)",
        "'warmup(2/s,over=3000ms)'; 'warmup(2/1s, over=3s)'",
        "'warmup(2/1s, of=tokens, slack=1ms, cold=10, over=0s)';"
            + " 'warmup(2/1s, over=0s, cold=10, slack=1ms, of=tokens)'",
        "'warmup(2/1s, over=3s, cold=3)'; 'warmup(2/1s, over=3s)'",
        "'bucket(1/1s, initial=full, oversize=wait)'; 'bucket(1/1s, initial=full)'",
        "spacing(100ms); spacing(100ms)",
        "spacing(s); spacing(1s)"
      })
  void readsAndWritesBackWindowsAndBuckets(String text, String canonical) {
    assertCanonical(canonical, text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "fixed(3/1s); fixed(3/1s)",
        "fixed( 3/s ); fixed(3/1s)",
        "'fixed(90/1m,of=tokens)'; 'fixed(90/1m, of=tokens)'",
        "fixed(3/1s) & fixed(100/1m); fixed(3/1s) & fixed(100/1m)",
        "aligned(1200/1m); aligned(1200/1m)",
        "'aligned( 1_200/min , zone=UTC, at=00:00, margin=1000ms )'; aligned(1200/1m)",
        "'aligned(5/1d, zone = Europe/Berlin,at=09:00)';"
            + " 'aligned(5/1d, zone=Europe/Berlin, at=09:00)'",
        "'aligned(5/1d, zone=Etc/GMT+5)'; 'aligned(5/1d, zone=-05:00)'",
        "'aligned(5/1d, zone=+05:30)'; 'aligned(5/1d, zone=+05:30)'",
        "aligned(5/24h); aligned(5/1d)",
        "aligned(5/7d); aligned(5/1w)",
        "aligned(5/w); aligned(5/1w)",
        "'aligned(5/1w, at=SUN)'; 'aligned(5/1w, at=sun-00:00)'",
        "'aligned(5/1w, at=mon-00:00)'; aligned(5/1w)",
        "'aligned(5/1w, at=3)'; 'aligned(5/1w, at=wed-00:00)'",
        "'aligned(5/1mo, at=15-09:30:15)'; 'aligned(5/1mo, at=15-09:30:15)'",
        "'aligned(5/3mo, at=1)'; aligned(5/3mo)",
        "'aligned(5/90s, origin=2026-11-20T13:00:00+01:00)';"
            + " 'aligned(5/90s, origin=2026-11-20T12:00:00Z)'",
        "'aligned(5/2w, of=tokens, initial=spent, abandon=1h, unanswered=30s, margin=0s,"
            + " origin=2026-11-20T12:00:00Z)'; 'aligned(5/14d, origin=2026-11-20T12:00:00Z,"
            + " margin=0s, unanswered=30s, abandon=1h, initial=spent, of=tokens)'"
      })
  void readsAndWritesBackTimersAndCalendars(String text, String canonical) {
    assertCanonical(canonical, text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "concurrent(4); concurrent(4)",
        "'concurrent(4,unanswered=60s)'; 'concurrent(4, unanswered=1m)'",
        "'concurrent(4, unanswered=0s)'; concurrent(4)",
        "'concurrent( 1_000 )of mb'; concurrent(1000) of mb",
        "'concurrent(1000,unanswered=60s) of mb'; 'concurrent(1000, unanswered=1m) of mb'",
        "'concurrent(9) of mb & 5/1s of mb'; concurrent(9) of mb & 5/1s of mb",
        "unlimited; unlimited",
        "unlimited(); unlimited",
        "starts(10/1m); starts(10/1m)",
        "starts(spacing(1s)); starts(spacing(1s))",
        "peer(10/1m); peer(10/1m)",
        "'peer(10/1m, unanswered=10s, margin=0.1%+1ms)'; peer(10/1m)",
        "'peer(10/1m, unanswered=0s)'; 'peer(10/1m, unanswered=0s)'",
        "'peer(10/1m, abandon=10m)'; 'peer(10/1m, abandon=10m)'",
        "'concurrent(4, abandon=300s, unanswered=30s)'; 'concurrent(4, unanswered=30s, abandon=5m)'",
        "'concurrent(9, abandon=1h) of mb'; 'concurrent(9, abandon=1h) of mb'",
        "'peer(10/1m, margin=0s)'; 'peer(10/1m, margin=0s)'",
        "'peer(10/1m, margin=0%)'; 'peer(10/1m, margin=0s)'",
        "'peer(10/1m, margin=1%)'; 'peer(10/1m, margin=1%)'",
        "'peer(10/1m, margin=0.0100%)'; 'peer(10/1m, margin=0.01%)'",
        "'peer(10/1m, margin=100%+1d)'; 'peer(10/1m, margin=100%+1d)'",
        "'peer(10/1m, margin=5ms)'; 'peer(10/1m, margin=5ms)'",
        "'peer(bucket(10/1s, burst=5), margin=2%+3ms)'; 'peer(bucket(10/1s, burst=5), margin=2%+3ms)'",
        "'peer(10/1s & spacing(1s), unanswered=5s)';"
            + " 'peer(10/1s, unanswered=5s) & peer(spacing(1s), unanswered=5s)'",
        "10/1s & peer(20/1m) & starts(5/1s); 10/1s & peer(20/1m) & starts(5/1s)"
      })
  void readsAndWritesBackOpenRequestsAndPeers(String text, String canonical) {
    assertCanonical(canonical, text);
  }

  private static void assertCanonical(String canonical, String text) {
    Limit limit = Limits.parse(text);
    assertEquals(canonical, limit.toString());
    assertEquals(limit, Limits.parse(canonical));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        // The text; the column that is pointed at, from 1; what is said of it.
        "''; 1; expected a rate such as 10/1m, or one of bucket, warmup, spacing, fixed, aligned, concurrent",
        "'  '; 3; the text ends",
        "10; 3; expected \"/\" and an interval, as in 10/1m, the text ends",
        "10/; 4; expected an interval such as 1s, 1m, 1h, the text ends",
        "10/1; 4; \"1\" has no unit, expected one of ns us ms s m min h d",
        "10/1x; 4; \"1x\" has unit \"x\", expected one of ns us ms s m min h d",
        "10/1w; 4; has unit \"w\"",
        "10/1M; 4; has unit \"M\"",
        "10/1S; 4; has unit \"S\"",
        "10/30m1h; 4; units go from large to small, each once",
        "10/1s1s; 4; units go from large to small, each once",
        "10/_s; 4; has no digit where a number belongs",
        "10/-1s; 4; \"-1s\" has \"-\" where a number or a unit belongs",
        "10//1m; 4; expected an interval such as 1s, 1m, 1h, found \"/\"",
        "10 / 1 m; 6; \"1\" has no unit",
        "0/1s; 1; a rate must be at least 1 permit: 0 (to stop everything, use pause())",
        "-1/1s; 1; a rate must be at least 1 permit: -1",
        "+3/1s; 1; expected a whole number, found \"+3\"",
        "10e3/1s; 1; expected a whole number, found \"10e3\"",
        "1h30m; 1; expected a whole number, found \"1h30m\"",
        "10/0s; 4; the interval of a rate must be at least 1ns: 0",
        "10000000000000000000/1s; 1; the number 10000000000000000000 is too large, at most 9223372",
        "10/36501d; 4; \"36501d\" is too long: at most 36500d",
        "10/99999999999999999999d; 4; is too long: at most 36500d",
        "2/1ns; 3; a rate must be at most 1 permit per nanosecond: 2/1ns",
        "1_000_000_001/1s; 15; a rate must be at most 1 permit per nanosecond: 1000000001/1s",
        "0.5/1s; 1; decimals are not allowed: \"0.5\"; use a longer interval (1/2s, not 0.5/1s)",
        "10/1.5s; 4; decimals are not allowed, use a smaller unit (1500ms, not 1.5s)",
        "foo; 1; there is no limit \"foo\", expected a rate such as 10/1m",
        "foo(3); 1; there is no limit \"foo\"",
        "BUCKET(1/1s); 1; there is no limit \"BUCKET\"",
        "(10/1m); 1; found \"(\"",
        "10/1m); 6; expected \"&\" or the end, found \")\"",
        "10/1m 5/1s; 7; expected \"&\" or the end, found \"5\"",
        "10/1m &; 8; expected a rate such as 10/1m",
        "10/1m and; 10; expected a rate such as 10/1m",
        "& 10/1m; 1; found \"&\"",
        "10/1m of; 9; expected the name of a cost, the text ends",
        "10/1m of 3x; 10; a name must be letters, digits, - and _, and begin with a letter: \"3x\"",
        "10/1m of a of b; 12; expected \"&\" or the end, found \"of\""
      })
  void pointsAtWhatIsWrongInRatesAndNames(String text, int column, String problem) {
    assertPointsAt(text, column, problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "bucket; 7; expected \"(\" and an argument, the text ends",
        "bucket(; 8; expected a rate such as 10/1m, the text ends",
        "bucket(10/1s; 13; expected \")\" or \",\" at the end of the arguments, the text ends",
        "'bucket(10/1s,'; 14; expected one of burst, pay, debt, slack, initial, oversize, of, the text ends",
        "'bucket(10/1s burst=2)'; 14; expected \")\" or \",\"",
        "'bucket(10/1s, brust=2)'; 15; there is no option \"brust\" here, expected burst, pay, debt, slack,",
        "'bucket(10/1s, margin=1%)'; 15; there is no option \"margin\" here",
        "'bucket(10/1s, burst=2, burst=3)'; 24; burst is given twice",
        "'bucket(10/1s, burst)'; 20; expected \"=\" and a value, found \")\"",
        "'bucket(10/1s, burst=)'; 21; expected a value for burst: 1 or more, found \")\"",
        "'bucket(10/1s, burst=2.5)'; 21; decimals are not allowed: \"2.5\"",
        "'bucket(10/1s, burst=0)'; 1; burst must be at least 1: 0",
        "'bucket(1/36500d, burst=2)'; 1; 2 take more than a hundred years at 1/36500d",
        "'bucket(10/1s, slack=1)'; 21; \"1\" has no unit",
        "'bucket(10/1s, initial=half)'; 23; initial is one of full, empty (buckets only), spent, not \"half\"",
        "'bucket(10/1s, initial=usual)'; 23; initial is one of full, empty (buckets only), spent, not \"usual\"",
        "'bucket(10/1s, oversize=no)'; 24; oversize is one of wait, never, not \"no\"",
        "'bucket(10/1s, pay=never)'; 19; pay is one of now, later, not \"never\"",
        "'bucket(10/1s, debt=3)'; 20; debt needs pay=later",
        "'bucket(10/1s, pay=now, debt=3)'; 29; debt needs pay=later",
        "'bucket(10/1s, pay=later, debt=0)'; 1; debt must be at least 1: 0",
        "'bucket(10/1s, pay=later, oversize=wait)'; 35; oversize needs pay=now",
        "'bucket(1/1d, pay=later, debt=40_000)'; 1; debt is too large: 40000 take more",
        "'peer(bucket(1/1s, pay=later))'; 1; a bucket inside peer must not be paid later: debt=1",
        "warmup(10/1s); 1; over is missing: how long the warm-up takes",
        "'warmup(10/1s, over=3)'; 20; \"3\" has no unit",
        "'warmup(10/1s, over=3s, cold=2.5)'; 29; decimals are not allowed: \"2.5\"",
        "'warmup(10/1s, over=3s, cold=0)'; 1; cold must be from 1 to 1000: 0",
        "'warmup(10/1s, over=3s, cold=1001)'; 1; cold must be from 1 to 1000: 1001",
        "'warmup(10/1s, over=3s, burst=2)'; 24; there is no option \"burst\" here",
        "'peer(warmup(1/1s, over=3s))'; 1; peer takes a window, a bucket or a spacing",
        "'bucket(10/1s, of=9)'; 18; a name must be letters",
        "spacing(); 9; expected a gap such as 100ms, found \")\"",
        "spacing(1); 9; \"1\" has no unit",
        "spacing(0s); 1; the gap of a spacing must be at least 1ns: 0",
        "spacing(100ms; 14; expected \")\" at the end, the text ends"
      })
  void pointsAtWhatIsWrongInBuckets(String text, int column, String problem) {
    assertPointsAt(text, column, problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "fixed; 6; expected \"(\" and an argument, the text ends",
        "fixed(); 7; expected a rate such as 10/1m, found \")\"",
        "fixed(1s); 7; expected a whole number, found \"1s\"",
        "fixed(0/1s); 7; a rate must be at least 1 permit: 0 (to stop everything, use pause())",
        "'fixed(3/1s, burst=2)'; 13; there is no option \"burst\" here, expected of",
        "'fixed(3/1s, of=9)'; 16; a name must be letters",
        "peer(fixed(3/1s)); 1; peer takes a window, a bucket or a spacing, or several of them joined by &, not",
        "peer(10/1s & fixed(3/1s)); 1; not fixed(3/1s)",
        "starts(fixed(3/1s)); 1; starts takes a window, a bucket or a spacing, not fixed(3/1s)",
        "aligned(); 9; expected a rate such as 1200/1m, found \")\"",
        "aligned(5); 10; expected \"/\" and a window, as in 5/1d, found \")\"",
        "aligned(0/1d); 1; a window must allow at least 1: 0 (to stop everything, use pause())",
        "aligned(5/7h); 1; the calendar has no windows of 7h: allowed are parts of a day, 1d, 1w, 1mo",
        "aligned(5/5mo); 1; the calendar has no windows of 5mo",
        "aligned(5/0mo); 11; a window must be at least 1ns: 0",
        "aligned(5/9999999w); 11; \"9999999w\" is too long",
        "aligned(5/0s); 11; a window must be at least 1ns: 0",
        "aligned(2000/1us); 1; a window must allow at most one per nanosecond: 2000/1us",
        "'aligned(5/1d, zone=Nowhere)'; 20; zone is a zone such as Europe/Berlin or +05:30, not \"Nowhere\"",
        "'aligned(5/1d, at=25:00)'; 18; at is a time of day such as 09:00",
        "'aligned(5/1d, at=noon)'; 18; at is a time of day such as 09:00",
        "'aligned(5/1d, at=2-09:00)'; 1; windows of 1d begin with day 1, not 2",
        "'aligned(5/1w, at=8)'; 1; windows of 1w begin with day 1 to 7, not 8",
        "'aligned(5/1mo, at=31)'; 1; windows of 1mo begin with day 1 to 28, not 31",
        "'aligned(5/1h, at=01:00)'; 1; windows of 1h cannot begin at 01:00, which is later",
        "'aligned(5/1d, origin=yesterday)'; 22; origin is an instant such as 2026-01-31T09:00:00Z, not",
        "'aligned(5/1d, at=09:00, origin=2026-11-20T12:00:00Z)'; 1; windows begin at a time or from",
        "'aligned(5/1d, origin=+9999-01-01T00:00:00Z)'; 22; origin is an instant",
        "'aligned(5/1d, origin=9999-01-01T00:00:00Z)'; 1; origin must be from 1870-01-01T00:00:00Z to",
        "'aligned(5/1m, origin=1600-01-01T00:00:00Z)'; 1; origin must be from 1870-01-01T00:00:00Z to",
        "'aligned(5/1d, at=-09:00)'; 18; at is a time of day such as 09:00",
        "'aligned(5/1w, at=+2)'; 18; at is a time of day such as 09:00",
        "aligned(5/_mo); 11; \"_mo\"",
        "'aligned(5/500ms)'; 1; the margin must be at most a window, 500ms: 1s; if the clocks differ",
        "'aligned(5/1d, burst=2)'; 15; there is no option \"burst\" here, expected",
        "peer(aligned(5/1d)); 1; peer takes a window, a bucket or a spacing, or several of them joined by &, not"
      })
  void pointsAtWhatIsWrongInWindows(String text, int column, String problem) {
    assertPointsAt(text, column, problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "concurrent(); 12; expected how many, found \")\"",
        "concurrent(9) of; 17; expected the name of a cost, the text ends",
        "concurrent(9) of 5; 18; a name must be letters, digits, - and _, and begin with a letter: \"5\"",
        "concurrent(0); 1; concurrent must allow at least 1: 0",
        "concurrent(-1); 1; concurrent must allow at least 1: -1",
        "'concurrent(4, burst=2)'; 15; there is no option \"burst\" here, expected unanswered",
        "unlimited(1); 11; expected \")\" (unlimited takes no arguments), found \"1\"",
        "peer(concurrent(4)); 1; peer takes a window, a bucket or a spacing, or several of them joined by &, not",
        "10/1s & peer(unlimited); 9; not unlimited",
        "peer(peer(10/1m)); 1; not peer(10/1m)",
        "'peer(bucket(1/1s, slack=1s))'; 1; a bucket inside peer must have no slack: slack=1s",
        "starts(peer(10/1m)); 1; starts takes a window, a bucket or a spacing, not peer(10/1m)",
        "starts(10/1m & 5/1s); 1; not 10/1m & 5/1s",
        "'peer(10/1m, unanswered=never)'; 24; has unit \"never\"",
        "'peer(10/1m, abandon=0s)'; 1; abandon must be at least 1ns: 0",
        "'concurrent(4, abandon=0s)'; 1; abandon must be at least 1ns: 0",
        "'peer(10/1m, margin=)'; 20; expected a value for margin: a share such as 0.1%, a duration or both",
        "'peer(10/1m, margin=1)'; 20; \"1\" has no unit",
        "'peer(10/1m, margin=x%)'; 20; at most 4 decimals, not \"x%\"",
        "'peer(10/1m, margin=1e1%)'; 20; at most 4 decimals, not \"1e1%\"",
        "'peer(10/1m, margin=0.00001%)'; 20; at most 4 decimals, not \"0.00001%\"",
        "'peer(10/1m, margin=-1%)'; 20; a share is from 0% to 100%",
        "'peer(10/1m, margin=200%)'; 1; the share of a margin must be from 0% to 100%: 200%",
        "'peer(10/1m, margin=1%1ms)'; 20; expected \"+\" between the share and the duration",
        "'peer(10/1m, margin=1%+)'; 23; has no unit"
      })
  void pointsAtWhatIsWrongInOpenRequestsAndPeers(String text, int column, String problem) {
    assertPointsAt(text, column, problem);
  }

  private static void assertPointsAt(String text, int column, String problem) {
    var wrong = assertThrows(LimitFormatException.class, () -> Limits.parse(text));
    String message = String.valueOf(wrong.getMessage());
    assertTrue(message.startsWith("\"" + text + "\", column " + column + ": "), message);
    assertTrue(message.contains(problem), message);
    assertEquals(column - 1, wrong.position());
  }

  /** A semicolon separates the columns of the tables above. */
  @ParameterizedTest
  @ValueSource(strings = {"10/1m;", "10/1\u00b5s", "\u0663/1s", "10/1m#", "1,5/1s", "10/\u0663s"})
  void takesNothingElseForASign(String text) {
    assertThrows(LimitFormatException.class, () -> Limits.parse(text));
  }

  @Test
  void allOfTheDocumentedExamplesAreLimits() {
    for (LimitForm form : Limits.forms()) {
      Limit limit = Limits.parse(form.example());
      assertEquals(limit, Limits.parse(limit.toString()));
    }
  }

  @Test
  void everyKindThatKeepsPermitsSpentUntilTheirEndTakesAbandon() {
    for (LimitForm form : Limits.forms()) {
      Limit limit = Limits.parse(form.example());
      boolean takes = form.options().stream().anyMatch(option -> option.name().equals("abandon"));
      assertEquals(limit.newMeter(0).tracks(), takes, form.syntax());
    }
  }

  @Test
  void readsBackEveryLimitItWrites() {
    Seeds.forEach(
        5000,
        random -> {
          Limit limit = limit(random);
          assertEquals(limit, Limits.parse(limit.toString()), limit::toString);
          assertEquals(limit.hashCode(), Limits.parse(limit.toString()).hashCode());
        });
  }

  private static Limit limit(SplittableRandom random) {
    int terms = 1 + random.nextInt(8) / 5;
    if (terms == 1) {
      return term(random);
    }
    var all = new ArrayList<Limit>();
    for (int i = 0; i < terms; i++) {
      all.add(term(random));
    }
    return new All(all);
  }

  private static Limit term(SplittableRandom random) {
    return switch (random.nextInt(7)) {
      case 6 -> new Fixed(rate(random), measure(random));
      case 0 ->
          new Concurrent(
              1 + (random.nextLong(Long.MAX_VALUE) >>> random.nextInt(62)),
              random.nextBoolean() ? Measure.CALLS : Measure.of("mb"),
              random.nextBoolean() ? 0 : random.nextLong(Spans.MAX),
              random.nextBoolean() ? Meter.NEVER : span(random));
      case 1 -> random.nextInt(3) == 0 ? Limits.unlimited() : warmup(random);
      case 2 -> new Starts(counting(random, true), random.nextBoolean());
      case 3 -> peer(random);
      default -> counting(random, true);
    };
  }

  private static Limit peer(SplittableRandom random) {
    Limit limit = counting(random, false);
    boolean counted = random.nextBoolean();
    boolean ofRequests = limit instanceof Window window && window.of().equals(Measure.PLAIN);
    return new Peer(
        limit,
        span(random) - 1,
        counted,
        !counted && ofRequests && random.nextBoolean(),
        random.nextBoolean() ? Meter.NEVER : span(random),
        new Margin(random.nextInt(1_000_001), random.nextBoolean() ? 0 : span(random)),
        random.nextBoolean());
  }

  private static Limit counting(SplittableRandom random, boolean slack) {
    return switch (random.nextInt(3)) {
      case 0 -> new Spacing(span(random));
      case 1 -> bucket(random, slack);
      default -> new Window(rate(random), measure(random));
    };
  }

  private static Limit bucket(SplittableRandom random, boolean slack) {
    Rate rate = rate(random);
    long most = Math.max(1, Spans.MAX / (rate.nanos() / rate.permits() + 1));
    long burst = 1 + (random.nextLong(most) >>> random.nextInt(62));
    var bucket =
        new Bucket(
            rate,
            burst,
            0,
            slack && random.nextBoolean() ? span(random) : 0,
            List.of(Bucket.Initial.values()).get(random.nextInt(4)),
            List.of(Bucket.Oversize.values()).get(random.nextInt(2)),
            measure(random));
    long debt = random.nextBoolean() ? burst : 1 + random.nextLong(most);
    return slack && random.nextInt(3) == 0 ? bucket.payLater(debt) : bucket;
  }

  private static Limit warmup(SplittableRandom random) {
    return new Warmup(
        rate(random),
        random.nextInt(4) == 0 ? 0 : span(random),
        1 + random.nextInt(1000),
        random.nextBoolean() ? span(random) : 0,
        measure(random));
  }

  private static Measure measure(SplittableRandom random) {
    return random.nextBoolean() ? Measure.PLAIN : Measure.of("cost_" + random.nextInt(10) + "-x");
  }

  private static Rate rate(SplittableRandom random) {
    long nanos = span(random);
    return new Rate(1 + (random.nextLong(nanos) >>> random.nextInt(62)), nanos);
  }

  private static long span(SplittableRandom random) {
    long unit = new long[] {1, 1000, 1_000_000_000, 60_000_000_000L}[random.nextInt(4)];
    return unit * (1 + (random.nextLong(Spans.MAX / unit) >>> random.nextInt(62)));
  }

  @Test
  void limitsBuiltFromCodeEqualThoseFromText() {
    assertEquals(Limits.parse("10/1m"), Limits.atMost(10).inAny(Duration.ofMinutes(1)));
    assertEquals(
        Limits.parse("90/1m of tokens"),
        Limits.atMost(90).inAny(Duration.ofMinutes(1)).of("tokens"));
    assertEquals(
        Limits.parse("bucket(100/1s, burst=20)"),
        Limits.bucket(100, Duration.ofSeconds(1)).burst(20));
    assertEquals(
        Limits.parse("bucket(5/1s, burst=5, pay=later, debt=100, initial=empty)"),
        Limits.bucket(5, Duration.ofSeconds(1))
            .burst(5)
            .payLater(100)
            .initial(Bucket.Initial.EMPTY));
    assertEquals(Limits.parse("spacing(100ms)"), Limits.spacing(Duration.ofMillis(100)));
    assertEquals(Limits.parse("fixed(3/1s)"), Limits.fixed(3, Duration.ofSeconds(1)));
    assertEquals(
        Limits.parse("fixed(3/1s, of=tokens)"),
        Limits.fixed(3, Duration.ofSeconds(1)).of("tokens"));
    assertEquals(Limits.parse("concurrent(4)"), Limits.concurrent(4));
    assertEquals(Limits.parse("aligned(5/1h)"), Limits.aligned(5, Duration.ofHours(1)));
    assertEquals(Limits.parse("aligned(5/1w)"), Limits.aligned(5, Period.ofWeeks(1)));
    assertEquals(
        Limits.parse("aligned(5/12mo, zone=Europe/Berlin, at=2-09:00, margin=3s, unanswered=5s)"),
        Limits.aligned(5, Period.ofYears(1))
            .zone(ZoneId.of("Europe/Berlin"))
            .at(2, LocalTime.of(9, 0))
            .margin(Duration.ofSeconds(3))
            .unanswered(Duration.ofSeconds(5)));
    assertEquals(
        Limits.parse(
            "aligned(5/90s, origin=2026-11-20T12:00:00Z, abandon=1h, initial=spent, of=tokens)"),
        Limits.aligned(5, Duration.ofSeconds(90), Instant.parse("2026-11-20T12:00:00Z"))
            .abandon(Duration.ofHours(1))
            .initiallySpent()
            .of("tokens"));
    assertThrows(IllegalArgumentException.class, () -> Limits.aligned(5, Period.of(0, 1, 1)));
    assertEquals(Limits.parse("peer(10/1m)"), Limits.peer(Limits.parse("10/1m")));
    assertEquals(Limits.parse("starts(10/1m)"), Limits.starts(Limits.parse("10/1m")));
    assertEquals(
        Limits.parse("10/1m & concurrent(4)"), Limits.parse("10/1m").and(Limits.concurrent(4)));
  }

  @Test
  void refusesFromCodeWhatTextCannotSay() {
    Window window = Limits.atMost(10).inAny(Duration.ofMinutes(1));
    assertThrows(IllegalArgumentException.class, () -> window.of("two words"));
    assertThrows(IllegalArgumentException.class, () -> window.of("x & unlimited"));
    assertThrows(IllegalArgumentException.class, () -> new Window(window.rate(), Measure.CALLS));
    assertThrows(IllegalArgumentException.class, () -> new Fixed(window.rate(), Measure.CALLS));
    assertThrows(
        IllegalArgumentException.class, () -> Limits.atMost(1).inAny(Duration.ofDays(36_501)));
    assertThrows(
        IllegalArgumentException.class, () -> Limits.spacing(Duration.ofSeconds(Long.MAX_VALUE)));
  }

  @Test
  void aTextThatIsNestedTooDeeplyIsRefused() {
    assertThrows(LimitFormatException.class, () -> Limits.parse("starts(".repeat(100_000)));
  }
}
