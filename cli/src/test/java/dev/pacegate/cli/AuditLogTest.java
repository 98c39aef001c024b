package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditLogTest {

  @Test
  void judgesALogThatKeepsTheLimit() {
    Session.given("0.0\n0.4\n0.9\n1.2\n")
        .run("audit", "3/1s")
        .succeeds(
            """
            4 requests within 1.2s, from 0 to 1.2
            smallest gap: 300ms, from 0.9 to 1.2
            kept: at most 3 in any 1s
              most: 3 within 900ms, from 0 to 0.9
              limit that fits: at most 3 in any 1s
            """);
  }

  @Test
  void judgesALogThatBreaksTheLimit() {
    var session = Session.given("5.3\n5.7\n6.2\n6.25\n").run("audit", "3/1s & spacing(100ms)");
    assertEquals(Status.BROKEN, session.status());
    assertEquals("", session.err());
    assertEquals(
        """
        4 requests within 950ms, from 5.3 to 6.25
        smallest gap: 50ms, from 6.2 to 6.25
        broken: at most 3 in any 1s
          most: 4 within 950ms, from 5.3 to 6.25
          limit that fits: at most 4 in any 1s
        broken: starts at least 100ms apart
          smallest gap: 50ms, from 6.2 to 6.25
          limit that fits: starts at least 50ms apart
        """,
        session.out());
  }

  @Test
  void judgesWindowsOfTheLimitersOwn() {
    String log = "0.9\n0.9\n0.95\n1\n1.1\n1.2\n";
    Session.given(log)
        .run("audit", "fixed(3/1s)")
        .succeeds(
            """
            6 requests within 300ms, from 0.9 to 1.2
            smallest gap: 0s, at 0.9
            kept: at most 3 in each of its own 1s windows: 3 * (ceil(W / 1s) + 1) in any W
              most: 6 beyond 3 per whole 1s, by 6 within 300ms, from 0.9 to 1.2
              limit that fits: at most 3 in each of its own 1s windows: 3 * (ceil(W / 1s) + 1) in any W
            """);
    assertEquals(Status.BROKEN, Session.given(log).run("audit", "3/1s").status());
    assertEquals(Status.BROKEN, Session.given(log + "1.3\n").run("audit", "fixed(3/1s)").status());
  }

  /** A window at the whole number, and a bucket that leaves room for its burst. */
  @Test
  void tellsWhetherAPeerThatEstimatesWouldHaveRefused() {
    String window = "0\n".repeat(10) + "1.5\n".repeat(10);
    var session = Session.given(window).run("audit", "estimated(10/1s)", "-l", "10/1s");
    assertEquals(Status.BROKEN, session.status());
    assertEquals(
        """
        20 requests within 1.5s, from 0 to 1.5, no ends: judged by starts alone
        smallest gap: 0s, at 0
        broken: an estimate of at most 10 from a window of 1s and the one before, wherever they begin
          highest estimate: 15, by 20 within 1.5s, from 0 to 1.5
          limit that fits: an estimate of at most 15 from a window of 1s and the one before, wherever they begin
        kept: at most 10 in any 1s
          most: 10, at 0
          limit that fits: at most 10 in any 1s
        """,
        session.out());
    String bucket = "0\n".repeat(5) + "1\n".repeat(5) + "2\n".repeat(5);
    assertEquals(Status.OK, Session.given(bucket).run("audit", "estimated(10/1s)").status());
    assertEquals(Status.OK, Session.given(bucket).run("audit", "bucket(5/1s, burst=5)").status());
    Session.given("")
        .run("audit", "estimated(10)")
        .fails(2, "\"estimated(10)\" takes a rate such as 10/1s, not \"10\"");
    Session.given("")
        .run("audit", "5/1s & estimated(10/1s)")
        .fails(2, "estimated(…) stands alone; add other limits by -l: 5/1s & estimated(10/1s)");
    Session.given("")
        .run("audit", "estimated(10/1s, phase=0s)")
        .fails(2, "every phase is tried, so none can be given: estimated(10/1s, phase=0s)");
  }

  /** 8 in 10 s and a burst of 2: read as 10 by an exact clock, as more by one with steps of 5 s. */
  @Test
  void tellsWhatAPeerWithACoarseClockWouldHaveRead() {
    var log = new StringBuilder("0\n0\n");
    for (int i = 1; i <= 100; i++) {
      log.append(i * 1.25).append('\n');
    }
    String text = log.toString();
    String coarse = "estimated(10/10s, clock-grain=5s)";
    assertEquals(Status.OK, Session.given(text).run("audit", "estimated(10/10s)").status());
    var session = Session.given(text).run("audit", coarse);
    assertEquals(Status.BROKEN, session.status());
    assertTrue(session.out().contains(", by a clock with steps of 5s\n"), session.out());
    Session.given("")
        .run("audit", "estimated(10/10s, clock-grain=3s)")
        .fails(
            2,
            "a window of 10s must be a whole number of steps of the clock, 100000 at most, not of"
                + " 3s each");
    Session.given("")
        .run("audit", "estimated(10/10s, clock-grain=x)")
        .fails(2, "\"x\" has unit \"x\", expected one of ns us ms s m min h d");
  }

  @Test
  void isExactToTheNanosecond() {
    String log = "1769860800.000000000\n1769860800.999999999\n";
    assertEquals(Status.BROKEN, Session.given(log).run("audit", "1/1s").status());
    log = "1769860800.000000000\n1769860801.000000000\n";
    assertEquals(Status.OK, Session.given(log).run("audit", "1/1s").status());
  }

  @Test
  void readsEveryWayInWhichInstantsAreWritten() {
    for (String log :
        List.of(
            "2026-01-31T12:00:00Z\n2026-01-31T12:00:00.500Z\n",
            "2026-01-31 12:00:00\r\n2026-01-31 12:00:00,5\r\n",
            "2026-01-31T13:00:00+01:00\n\n  2026-01-31T11:00:00.5-01:00",
            "\"2026-01-31T12:00:00Z\"\n[2026-01-31T12:00:00.500Z]\n")) {
      String text = Session.given(log).run("audit", "9/1s").out();
      String first =
          "2 requests within 500ms, from 2026-01-31T12:00:00Z to 2026-01-31T12:00:00.500Z";
      assertEquals(first, text.lines().findFirst().orElse(""), log);
    }
    String text =
        Session.given("1769860800000\n1769860800500\n").run("audit", "9/1s", "-u", "ms").out();
    assertTrue(
        text.startsWith("2 requests within 500ms, from 1769860800000 to 1769860800500\n"), text);
  }

  @Test
  void readsColumns() {
    String log =
        """
        a 2026-01-31T12:00:00Z  2026-01-31T12:00:02Z 3
        b\t2026-01-31T12:00:01Z 2026-01-31T12:00:02Z 4
        """;
    var session =
        Session.given(log)
            .run("audit", "6/1m & concurrent(1)", "-c2", "--end-column=3", "--cost-column=4");
    assertEquals(
        """
        2 requests of cost 7 within 1s, from 2026-01-31T12:00:00Z to 2026-01-31T12:00:01Z
        smallest gap: 1s, from 2026-01-31T12:00:00Z to 2026-01-31T12:00:01Z
        broken: at most 6 in any 1m
          most: 7 within 1s, from 2026-01-31T12:00:00Z to 2026-01-31T12:00:01Z
          limit that fits: at most 7 in any 1m
        broken: at most 1 open at any instant
          most open: 2, at 2026-01-31T12:00:01Z
          limit that fits: at most 2 open at any instant
        """,
        session.out());
  }

  @Test
  void readsADateAndATimeInTwoColumns() {
    String log = "a [2026-01-31 12:00:00] x\nb [2026-01-31 12:00:01] x\n";
    String text = Session.given(log).run("audit", "6/1m", "--column", "2").out();
    assertTrue(text.startsWith("2 requests within 1s, from 2026-01-31T12:00:00Z "), text);
    log = "a,\"2026-01-31 12:00:00\",x\nb, 2026-01-31 12:00:01 ,x\n";
    assertEquals(
        text, Session.given(log).run("audit", "6/1m", "--column", "2", "--separator", ",").out());
    log = log.replace(',', '\t');
    assertEquals(text, Session.given(log).run("audit", "6/1m", "--column=2", "-s", "\\t").out());
  }

  @Test
  void readsTheCostsOfNames() {
    String log = "1,100\n2,200\n";
    String text =
        Session.given(log)
            .run("audit", "9/1m & 250/1m of tokens", "-s,", "--cost-column=tokens=2")
            .out();
    assertTrue(text.contains("broken: at most 250 of tokens in any 1m\n  most: 300 within"), text);
    assertTrue(text.contains("kept: at most 9 in any 1m\n  most: 2 within"), text);
    Session.given(log)
        .run("audit", "250/1m of tokens", "-s,")
        .fails(2, "where is the cost of tokens? (try --cost-column tokens=COLUMN)");
  }

  @Test
  void refusesAColumnOfCostsThatNoLimitCounts() {
    Session.given("1 3\n2 5\n")
        .run("audit", "spacing(1s)", "--cost-column=2")
        .fails(2, "--cost-column 2 changes nothing: no limit here counts the plain cost");
    Session.given("1 3\n2 5\n")
        .run("audit", "90/1m of tokens", "--cost-column=2", "--cost-column=tokens=2")
        .fails(2, "--cost-column 2 changes nothing: no limit here counts the plain cost");
    String both =
        Session.given("1 3\n2 5\n").run("audit", "spacing(1s) & 10/1s", "--cost-column=2").out();
    assertTrue(both.contains("kept: at most 10 in any 1s"), both);
  }

  @Test
  void namesTheLineThatIsWrong() {
    fails("1\nx\n", "line 2 of standard input: \"x\" is no instant");
    fails("1\n\nx\n", "line 3 of standard input: \"x\" is no instant");
    fails("\0\1\n", "line 1 of standard input: \"\\x00\\x01\" is no instant");
    fails(
        "1 2",
        "line 1 of standard input: \"1 2\" has something behind the instant (see --column and --time-format)");
    fails(
        "1\n3\n2.5\n",
        "line 3 of standard input: 2.5 is 500ms earlier than a line before it (try --reorder 500ms)");
    fails("1\n", "line 1 of standard input: it has no column 3", "-c", "3");
    fails(
        "1 0\n", "line 1 of standard input: \"0\" is before its start", "-c1", "--end-column", "2");
    fails(
        "1 -1\n",
        "line 1 of standard input: \"-1\" is no cost: a whole number of up to 18 digits",
        "-c1",
        "--cost-column",
        "2");
    fails(
        "-9223372036.8\n1\n9223372036.8\n",
        "line 2 of standard input: more than 292 years after the first");
    fails("x".repeat(3_000_000), "line 1 of standard input is longer than 1 MiB");
  }

  @Test
  void warnsOfALimitThatIsHardlyMeant() {
    var session = Session.given("1\n2\n3\n").run("audit", "aligned(10/1s)");
    assertEquals(Status.OK, session.status());
    assertTrue(
        session.err().startsWith("pacegate: aligned(10/1s) uses at most 33 % of what"),
        session.err());
    assertTrue(session.out().contains("kept: at most 10 in each 1s"), session.out());
    assertEquals("", Session.given("1\n2\n3\n").run("audit", "aligned(10/1m)").err());
    assertEquals("", Session.given("1\n2\n3\n").run("audit", "estimated(10/1s)").err());
  }

  @Test
  void namesTheLineThatNoCalendarReaches() {
    Session.given("2262-04-11T23:47:16Z\n")
        .run("audit", "aligned(1/1d)")
        .fails(
            2,
            "line 1 of standard input: a calendar is judged from 1790 to 2149, not at"
                + " 2262-04-11T23:47:16Z");
  }

  /** The comma is a decimal point only in dates. */
  @Test
  void aColumnBehindANumberIsNoFraction() {
    fails(
        "1769860800,1\n1769860800,9\n",
        "line 1 of standard input: \"1769860800,1\" has something behind the instant (see"
            + " --column and --time-format)");
  }

  private static void fails(String log, String message, String... options) {
    var arguments = new ArrayList<>(List.of("audit", "3/1s"));
    arguments.addAll(List.of(options));
    var session = Session.given(log).run(arguments.toArray(String[]::new)).fails(2, message);
    assertEquals("", session.out());
  }

  @Test
  void refusesColumnsThatAreNone() {
    String takes = " takes the number of a column, from 1 or backwards from -1, or its name: ";
    for (String option :
        List.of("--column", "--end-column", "--duration-column", "--cost-column", "--by")) {
      for (String none : List.of("0", "-0", "1000000", "-1000000", "01", " ")) {
        fails("1\n", option + takes + none, option, none);
      }
    }
    String costs = "--cost-column takes a column, or NAME=COLUMN for each name: ";
    fails("1\n", costs + "=1", "--cost-column", "=1");
    fails("1\n", costs + "2", "--cost-column", "1", "--cost-column", "2");
    fails("1\n", "--separator takes one ASCII character: ab", "-s", "ab");
  }

  @Test
  void acceptsWhatIsOutOfOrderIfTold() {
    String text = Session.given("1\n3\n2\n").run("audit", "3/1s", "--reorder", "1s").out();
    assertTrue(text.startsWith("3 requests within 2s, from 1 to 3\nsmallest gap: 1s,"), text);
    Session.given("1\n3\n1.5\n")
        .run("audit", "3/1s", "--reorder", "1s")
        .fails(
            2,
            "line 3 of standard input: 1.5 is 500ms earlier than --reorder allows (try --reorder 1500ms)");
  }

  @Test
  void findsTheSameInAShuffledLog() {
    long seed = Long.getLong("seed", System.nanoTime());
    var random = new Random(seed);
    List<Long> log =
        new ArrayList<>(
            LongStream.range(0, 2000)
                .map(i -> random.nextLong(10_000_000_000L))
                .sorted()
                .boxed()
                .toList());
    String sorted = audit(log);
    for (int i = 0; i + 20 < log.size(); i += 20) {
      Collections.shuffle(log.subList(i, i + 20), random);
    }
    assertEquals(sorted, audit(log), "seed " + seed);
  }

  private static String audit(List<Long> log) {
    String text = String.join("\n", log.stream().map(String::valueOf).toList());
    return Session.given(text)
        .run("audit", "200/1s & spacing(1us)", "-u", "ns", "--reorder", "10s")
        .out();
  }

  @Test
  void judgesAnEmptyLog(@TempDir Path folder) throws Exception {
    Session.given("").run("audit", "3/1s").succeeds("0 requests\nkept: at most 3 in any 1s\n");
    Session.given("\n \n").run("audit", "unlimited").succeeds("0 requests\n");
    Path file = Files.writeString(folder.resolve("log"), "1\n");
    assertTrue(
        Session.given("")
            .run("audit", "3/1s", file.toString())
            .out()
            .startsWith("1 request, at 1\n"));
  }
}
