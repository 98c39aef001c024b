package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What is reported at the end of a pipe or a run. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(120)
class ReportsTest {

  @TempDir Path folder;

  private static Session run(String input, String... arguments) {
    return Session.given(input).inRealTime().run(arguments);
  }

  @Test
  void aRunTellsWhatBecameOfItsLines() {
    var session =
        run(
            "0\n3\n\n",
            "run",
            "-qrj2",
            "9/1h",
            "--retries=1",
            "--backoff=1ms",
            "--report",
            "--",
            "sh",
            "-c",
            "exit $0");
    List<String> lines = session.err().lines().toList();
    assertTrue(
        lines.contains(
            "pacegate: 2 commands were started, 2 ended, 1 failed, 0 were refused, 1 retry;"
                + " 1 line was skipped, 0 lines are left"),
        session.err());
    assertTrue(session.err().contains("pacegate: 3 requests within "), session.err());
    assertTrue(
        session.err().contains("pacegate: kept: at most 9 in any 1h, counted"), session.err());
    assertEquals(Status.COMMAND_FAILED, session.status());
  }

  /** A line whose command the other side refused is left, though the command was run. */
  @Test
  void allThatWereStartedHaveEnded() {
    String options = "run -q 9/1h --no-wait --pause-on=75=1h --report -- sh -c";
    var all = Stream.concat(Stream.of(options.split(" ")), Stream.of("exit $0"));
    var session = run("0\n75\n0\n", all.toArray(String[]::new));
    String text =
        "pacegate: 2 commands were started, 2 ended, 0 failed, 1 was refused, 0 retries; 0 lines"
            + " were skipped, 2 lines are left\n";
    assertTrue(session.err().contains(text), session.err());
    assertEquals(Status.LEFT, session.status());
  }

  @Test
  void aCommandThatLacksAReaderHasEnded() {
    var tally = new RunTally();
    tally.start(false);
    tally.lackReader();
    assertEquals(
        "1 command was started, 1 ended, 0 failed, 0 were refused, 0 retries; 0 lines were skipped,"
            + " an unknown number of lines is left",
        tally.text());
  }

  @Test
  void aRunTellsItInOneLineOfJson() {
    var session = run("1\n2\n3\n", "run", "-q", "-j2", "2/1h", "--no-wait", "--json", "--", "true");
    assertEquals(Status.LEFT, session.status());
    String pattern =
        "pacegate: 1 line is left\n"
            + "\\{\"started\":2,\"ended\":2,\"failed\":0,\"refused\":0,\"retried\":0,\"skipped\":0,\"left\":1,"
            + "\"limits\":\\[\"peer\\(2/1h\\)\"],\"changedTo\":null,\"notJudged\":null,\"kept\":true,\"requests\":2,\"cost\":2,\"seconds\":[0-9.]+,\"waitedSeconds\":0,\"promises\":\\[\\{\"promise\":\"at"
            + " most 2 in any 1h[^\"]*\",\"kept\":true,\"measured\":2,\"found\":\"most: 2[^\"]*\","
            + "\"worst\":\\{\"from\":\"[0-9.]+m?s\",\"to\":\"[0-9.]+m?s\",\"nanos\":[0-9]+},"
            + "\"tightest\":\"at most 2 in any 1h[^\"]*\",\"fits\":\"peer\\(2/1h\\)\"}]}\n";
    assertTrue(session.err().matches(pattern), session.err());
  }

  @Test
  void aPipeWritesItsReportIntoAFile() throws Exception {
    Path file = folder.resolve("report");
    Session.given("1\n2\n3\n")
        .run("pipe", "-q", "starts(2/1s)", "--json", "--report=" + file)
        .succeeds("1\n2\n3\n");
    assertEquals(
        "{\"limits\":[\"starts(2/1s)\"],\"changedTo\":null,\"notJudged\":null,\"kept\":true,\"requests\":3,\"cost\":3,\"seconds\":1,\"waitedSeconds\":1,\"promises\":[{\"promise\":\"at"
            + " most 2 in any 1s\",\"kept\":true,\"measured\":2,\"found\":\"most: 2\","
            + "\"worst\":{\"from\":\"0s\",\"to\":\"0s\",\"nanos\":0},"
            + "\"tightest\":\"at most 2 in any 1s\",\"fits\":\"2/1s\"}],\"left\":null}\n",
        Files.readString(file));
  }

  @Test
  void aReportMayGoToStandardOutput() {
    var session = run("1\n", "run", "-q", "unlimited", "-j2", "--report=-", "--", "echo");
    assertTrue(
        session.out().startsWith("1\n1 command was started, 1 ended, 0 failed"), session.out());
    assertEquals("", session.err());
  }

  /** LIMIT may follow the option. */
  @Test
  void theFileOfAReportIsAttached() {
    var session = Session.given("1\n").run("pipe", "-q", "--report", "2/1s");
    assertEquals("1\n", session.out());
    assertTrue(session.err().startsWith("pacegate: 1 request"), session.err());
  }

  @Test
  void aFileThatCannotBeWrittenIsFoundBeforeTheWork() {
    var session = Session.given("1\n").run("pipe", "-q", "2/1s", "--report=" + folder);
    session.fails(Status.BAD, "cannot write " + folder + " (Is a directory)");
    assertEquals("", session.out());
    Session.given("1\n")
        .run("run", "-q", "2/1s", "--report=", "--", "true")
        .fails(Status.BAD, "--report= needs a file, or - for standard output");
  }

  @Test
  void aReportDoesNotReplaceAFileInUse() throws Exception {
    String ids = folder.resolve("ids").toString();
    Files.writeString(Path.of(ids), "1\n");
    Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of(ids));
    String same = "--report=" + ids + " would replace ";
    run("", "run", "-q", "2/1s", "-a", ids, "--report=" + ids, "--", "true")
        .fails(Status.BAD, same + ids + ", which is in use");
    run("", "pipe", "-q", "2/1s", link.toString(), "--report=" + ids)
        .fails(Status.BAD, same + link + ", which is in use");
    for (String option : List.of("--joblog=", "--state=", "--no-wait --rest=")) {
      String missing = folder.resolve("missing").toString();
      String all = "run -q 2/1s " + option + missing + " --report=" + missing + " -- true";
      run("", all.split(" "))
          .fails(
              Status.BAD,
              "--report=" + missing + " would replace " + missing + ", which is in use");
    }
    assertEquals("1\n", Files.readString(Path.of(ids)));
  }

  /** Nor may any other file be written in two ways. */
  @Test
  void eachFileHasOneUse() throws Exception {
    String file = folder.resolve("one").toString();
    String rest = "--rest=" + file + " would replace " + file + ", which is in use";
    run("1\n", "pipe", "-q", "2/1s", "--no-wait", "--state", file, "--rest", file)
        .fails(Status.BAD, rest);
    String all = "run -q 2/1s --no-wait --joblog " + file + " --rest " + file + " -- true";
    run("1\n", all.split(" ")).fails(Status.BAD, rest);
    run("1\n", "run", "-q", "2/1s", "--state", file, "--joblog", file, "--", "true")
        .fails(Status.BAD, "--joblog needs a file of its own: " + file + " is in use");
    assertFalse(Files.exists(Path.of(file)));
    String pause = "run -q 2/1s --state " + file + " --joblog " + file + ".pause -- true";
    run("1\n", pause.split(" "))
        .fails(Status.BAD, "--joblog needs a file of its own: " + file + ".pause is in use");
    Files.writeString(Path.of(file), "");
    run("", ("run -q 2/1s -a " + file + " --joblog " + file + " -- true").split(" "))
        .fails(Status.BAD, "--joblog needs a file of its own: " + file + " is in use");
    assertEquals("", Files.readString(Path.of(file)));
  }

  /** Links of folders lead to one file, even if that is not there yet. */
  @Test
  void aFileThatIsNotThereYetHasOneUse() throws Exception {
    Path real = Files.createDirectory(folder.resolve("real"));
    Path link = Files.createSymbolicLink(folder.resolve("link"), real);
    String all = "pipe -q 2/1s --no-wait --state " + real + "/s --rest " + link + "/../link/s";
    Session refused = run("1\n", all.split(" "));
    assertTrue(refused.err().endsWith("would replace " + real + "/s, which is in use\n"));
    assertEquals(Status.BAD, refused.status());
    String nothing = "run -q 2/1s --joblog /dev/null -- true";
    run("1\n", nothing.split(" ")).succeeds();
  }

  /** A run that is cut short does not know how many. */
  @Test
  void linesThatWereNotReadAreNotCounted() {
    String script = "[ $1 = 2 ] && exit 255; true";
    Session cut = run("1\n2\n3\n", "run", "-q", "9/1s", "--json", "--", "sh", "-c", script, "sh");
    assertTrue(cut.err().contains("\"started\":2,"), cut.err());
    assertTrue(cut.err().contains("\"left\":null,"), cut.err());
    Session told =
        run("1\n2\n3\n", "run", "-q", "9/1s", "--report", "--", "sh", "-c", script, "sh");
    assertTrue(told.err().contains("an unknown number of lines is left"), told.err());
  }

  /** Until there is a report, the one of the run before stays. */
  @Test
  void aRunThatIsRefusedLeavesTheLastReport() throws Exception {
    Path file = folder.resolve("report");
    Files.writeString(file, "last\n");
    String[] refused = {"run", "-q", "2/1s", "--report=" + file, "--state=" + folder, "--", "true"};
    assertEquals(Status.BAD, run("", refused).status());
    assertEquals("last\n", Files.readString(file));
    run("1\n", "run", "-q", "2/1s", "--report=" + file, "--", "true").succeeds();
    assertTrue(Files.readString(file).startsWith("1 command was started"));
    try (var all = Files.list(folder)) {
      assertEquals(List.of(file), all.toList());
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aReportThatCannotBeWrittenFailsTheCommand() {
    String full = "cannot write /dev/full (No space left on device)";
    run("1\n", "run", "-q", "2/1s", "--report=/dev/full", "--", "true").fails(Status.IO, full);
    run("1\n", "pipe", "-q", "2/1s", "--report=/dev/full").fails(Status.IO, full);
  }

  // ---- what is judged

  private final ManualTime time = ManualTime.manual();
  private final Limiter limiter = Limiter.builder("peer(3/1m)").time(time).stamped(true).build();
  private final JobRequests requests = new JobRequests(limiter);
  private final JobPermits permits = new JobPermits(limiter, requests);

  @Test
  void commandsMayEndInAnotherOrder() throws Exception {
    Permit first = permits.acquire();
    time.advance(Duration.ofSeconds(1));
    Permit second = permits.acquire();
    time.advance(Duration.ofSeconds(1));
    Permit third = permits.poll();
    assertNotNull(third);
    assertNull(permits.poll());
    third.notSent();
    second.answered();
    time.advance(Duration.ofSeconds(1));
    first.lost();
    first.answered();
    LimitReport report = requests.report();
    assertEquals("2 requests within 1s, from 0s to 1s", report.lines().get(0));
    assertEquals(Status.OK, report.status(Status.OK));
  }

  /** They were let through by the limit before. */
  @Test
  void nothingIsJudgedIfTheLimitChanges() throws Exception {
    List<Permit> all = List.of(permits.acquire(), permits.acquire(), permits.acquire());
    limiter.setLimit(Limits.parse("peer(1/1m)"));
    all.forEach(Permit::answered);
    LimitReport report = requests.report();
    String changed = "the limit was changed from peer(3/1m) to peer(1/1m)";
    assertEquals(List.of("not judged: " + changed), report.lines());
    assertEquals(Status.OK, report.status(Status.OK));
    var json = new JsonLine();
    report.addTo(json);
    json.add("text", "\u00fc\n");
    assertTrue(json.toString().endsWith(",\"text\":\"\\u00FC\\n\"}"), json.toString());
    assertTrue(json.toString().contains("\"notJudged\":\"" + changed + "\",\"kept\":null"));
  }

  /** As that of a store, which may count by the day though the one given does not. */
  @Test
  void theLimitInForceAtTheFirstIsJudged() throws Exception {
    limiter.setLimit(Limits.parse("aligned(2/1d)"));
    Permit first = permits.acquire();
    time.advance(Duration.ofSeconds(1));
    first.answered();
    permits.acquire().answered();
    List<String> lines = requests.report().lines();
    String from = time.instant().minusSeconds(1).toString();
    assertEquals("2 requests within 1s, from " + from + " to " + time.instant(), lines.get(0));
  }

  @Test
  void aPipeIsJudgedByTheLimitThatLetItsLinesThrough() throws Exception {
    var report = new LimitReport(limiter);
    var turnstile = new Turnstile(limiter, time, report);
    assertTrue(turnstile.tryEnter(3));
    limiter.setLimit(Limits.parse("peer(1/1m)"));
    turnstile.leave(0);
    assertEquals(Status.OK, report.status(Status.OK));
    assertTrue(report.lines().get(0).startsWith("not judged: "));
  }

  @Test
  void aCommandThatHangsHoldsUpNoOther() throws Exception {
    permits.acquire();
    permits.acquire().answered();
    assertEquals("1 request, at 0s", requests.report().lines().get(0).substring(0, 16));
  }

  @Test
  void aMillionRequestsAreKept() {
    requests.begin(0);
    for (int i = 0; i < JobRequests.MOST; i++) {
      requests.begin(0).end();
    }
    assertEquals(
        List.of("not judged: more than 1000000 commands were let through"),
        requests.report().lines());
  }

  @Test
  void aBrokenLimitIsToldByTheStatusIfNothingElseIs() {
    var report = new LimitReport(limiter);
    for (int i = 0; i < 4; i++) {
      report.add(i, i, Cost.ONE);
    }
    assertEquals(Status.BROKEN, report.status(Status.OK));
    assertEquals(Status.LEFT, report.status(Status.LEFT));
    assertEquals(Status.COMMAND_FAILED, report.status(Status.COMMAND_FAILED));
  }
}
