package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.time.ManualTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
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
            "pacegate: 2 commands were started, 2 ended, 1 failed, 1 retry; 1 line was skipped, 0 are left"),
        session.err());
    assertTrue(session.err().contains("pacegate: 3 requests within "), session.err());
    assertTrue(
        session.err().contains("pacegate: kept: at most 9 in any 1h, counted"), session.err());
    assertEquals(Status.COMMAND_FAILED, session.status());
  }

  @Test
  void aRunTellsItInOneLineOfJson() {
    var session = run("1\n2\n3\n", "run", "-q", "-j2", "2/1h", "--no-wait", "--json", "--", "true");
    assertEquals(Status.LEFT, session.status());
    String pattern =
        "pacegate: 1 line is left\n\\{\"started\":2,\"ended\":2,\"failed\":0,\"retried\":0,\"skipped\":0,\"left\":1,"
            + "\"limit\":\"peer\\(2/1h\\)\",\"changedTo\":null,\"kept\":true,\"requests\":2,\"cost\":2,"
            + "\"seconds\":[0-9.]+,\"waitedSeconds\":0,\"promises\":\\[\\{\"promise\":\"at most 2 in any 1h[^\"]*\","
            + "\"kept\":true,\"measured\":2,\"fits\":\"[^\"]*\"}]}\n";
    assertTrue(session.err().matches(pattern), session.err());
  }

  @Test
  void aPipeWritesItsReportIntoAFile() throws Exception {
    Path file = folder.resolve("report");
    Session.given("1\n2\n3\n")
        .run("pipe", "-q", "starts(2/1s)", "--json", "--report=" + file)
        .succeeds("1\n2\n3\n");
    assertEquals(
        "{\"limit\":\"starts(2/1s)\",\"changedTo\":null,\"kept\":true,\"requests\":3,\"cost\":3,\"seconds\":1,"
            + "\"waitedSeconds\":1,\"promises\":[{\"promise\":\"at most 2 in any 1s\",\"kept\":true,\"measured\":2,"
            + "\"fits\":\"at most 2 in any 1s\"}],\"left\":0}\n",
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
    Session.given("1\n")
        .run("pipe", "-q", "2/1s", "--report=" + folder)
        .fails(Status.BAD, "cannot write " + folder + " (Is a directory)");
  }

  // ---- in the order of the starts

  private final ManualTime time = ManualTime.manual();

  private JobPermits permits(LimitReport[] report, String limit) {
    Limiter limiter = Limiter.builder(limit).time(time).stamped(true).build();
    report[0] = new LimitReport(limiter);
    return new JobPermits(limiter, report[0]);
  }

  @Test
  void commandsMayEndInAnotherOrder() throws Exception {
    var report = new LimitReport[1];
    JobPermits permits = permits(report, "peer(3/1m)");
    Permit first = permits.acquire();
    time.advance(Duration.ofSeconds(1));
    Permit second = permits.acquire();
    time.advance(Duration.ofSeconds(1));
    Permit third = permits.poll();
    assertNotNull(third);
    assertNull(permits.poll());
    third.notSent();
    second.answered();
    assertEquals(List.of("0 requests"), report[0].lines().subList(0, 1));
    time.advance(Duration.ofSeconds(1));
    first.lost();
    first.answered();
    assertEquals("2 requests within 1s, from 0s to 1s", report[0].lines().get(0));
    assertTrue(report[0].kept());
  }
}
