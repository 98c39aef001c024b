package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of a line: the places in a command, the log of jobs, retries. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(180)
class RunJobsTest {

  private static final String HEAD =
      "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand";

  @TempDir Path folder;

  private static Session run(String input, String... arguments) {
    Stream<String> all = Stream.concat(Stream.of("run", "-q", "-kj2"), Stream.of(arguments));
    return Session.given(input).inRealTime().run(all.toArray(String[]::new));
  }

  private Session logged(String input, String... arguments) {
    String[] all =
        Stream.concat(
                Stream.of("concurrent(1)", "--joblog", log().toString()), Stream.of(arguments))
            .toArray(String[]::new);
    return run(input, all);
  }

  private Path log() {
    return folder.resolve("log");
  }

  /** Returns a column of all lines but the head. */
  private List<String> column(int column) throws Exception {
    return Files.readAllLines(log()).stream()
        .skip(1)
        .map(line -> line.split("\t", 9)[column])
        .toList();
  }

  // ---- places

  @Test
  void aPlaceMayHaveAnotherName() {
    run("a\n", "unlimited", "-I", "@@", "--", "echo", "{}", "x@@y").succeeds("{} xay\n");
  }

  @Test
  void aBackslashMakesAPlacePlainText() {
    run("a\n", "unlimited", "--", "printf", "%s ", "\\{}", "\\\\{}", "\\{#}", "\\n", "{}")
        .succeeds("{} \\a {#} \\n a ");
  }

  @Test
  void linesAreNumbered() {
    run("a\n\nb\n", "concurrent(1)", "-r", "--", "echo", "{#}{}").succeeds("1a\n2b\n");
  }

  @Test
  void columnsHavePlaces() {
    run("a,b,c\n,,\n", "concurrent(1)", "--colsep", ",", "--", "echo", "{3}-{1}")
        .succeeds("c-a\n-\n");
    run("a\tb\n", "unlimited", "-C", "\\t", "--", "echo", "{2}", "{}").succeeds("b a\tb\n");
    run("a::b\n", "unlimited", "-C", "::", "--", "echo", "{2}").succeeds("b\n");
    run("a,b\n", "unlimited", "--", "echo", "{1}").succeeds("{1} a,b\n");
    run("a,b\n", "unlimited", "-C,", "--", "echo", "{3}")
        .fails(Status.BAD, "line 1 (a,b) has no column 3");
  }

  @Test
  void aLineIsSafeBehindAShellsScript() {
    run("$(id) `id`; 'x\"\n", "unlimited", "--", "sh", "-c", "echo \"<$1>\"", "sh", "{}")
        .succeeds("<$(id) `id`; 'x\">\n");
  }

  // ---- the log of jobs

  @Test
  void theLogHasTheColumnsOfParallel() throws Exception {
    logged("a b\n3\n", "--", "sh", "-c", "exit $1", "x", "{}");
    List<String> lines = Files.readAllLines(log());
    assertEquals(HEAD, lines.get(0));
    assertTrue(
        lines
            .get(2)
            .matches("2\t:\t\\d{10}[.]\\d{3}\t +\\d+[.]\\d{3}\t0\t0\t3\t0\tsh -c 'exit \\$1' x 3"),
        lines.get(2));
    assertTrue(lines.get(1).endsWith("'a b'"), lines.get(1));
  }

  @Test
  void aSignalHasAColumnOfItsOwn() throws Exception {
    logged("9\n", "--", "sh", "-c", "kill -9 $$");
    assertEquals(List.of("0"), column(6));
    assertEquals(List.of("9"), column(7));
  }

  @Test
  void anyTextStaysInItsLine() throws Exception {
    logged("a\tb'c\0d\ne\0", "-0", "--", "true");
    assertEquals(List.of("true $'a\\011b\\047c'", "true $'d\\012e'"), column(8));
  }

  @Test
  void commandsThatAreDoneAreNotRunAgain() throws Exception {
    String script = "echo $1; [ $1 != 2 ] || [ -e " + folder + "/mended ]";
    String[] command = {"--resume", "--", "sh", "-c", script, "x", "{}"};
    assertEquals("1\n2\n3\n", logged("1\n2\n3\n", command).out());
    Files.createFile(folder.resolve("mended"));
    var second = logged("1\n2\n3\n4\n", command);
    assertEquals("2\n4\n", second.out());
    assertEquals("pacegate: skipped 2 commands recorded as done in " + log() + "\n", second.err());
    assertEquals(List.of("1", "2", "3", "2", "4"), column(0));
  }

  @Test
  void aLineThatIsThereTwiceIsDoneTwice() throws Exception {
    logged("a\na\n", "--", "echo").succeeds("a\na\n");
    assertEquals("a\n", logged("a\na\na\n", "--resume", "--", "echo").out());
  }

  @Test
  void aLineOfTheLogThatAKillHasCutDoesNotCount() throws Exception {
    logged("a\nb\n", "--", "echo").succeeds("a\nb\n");
    String whole = Files.readString(log());
    Files.writeString(log(), whole.substring(0, whole.length() - 1));
    assertEquals("b\n", logged("a\nb\n", "--resume", "--", "echo").out());
    assertEquals(List.of("echo a", "echo b"), column(8));
  }

  @Test
  void aLogOfOtherCommandsSkipsNothingAndIsTold() {
    logged("a\n", "--", "echo").succeeds("a\n");
    var other = logged("b\n", "--resume", "--", "echo");
    assertEquals("b\n", other.out());
    assertEquals(
        "pacegate: no command recorded as done in " + log() + " matches this input\n", other.err());
  }

  @Test
  void noLogIsLost() throws Exception {
    logged("a\n", "--", "echo");
    String refused = " tells of an earlier run: --resume goes on with it, else remove it";
    logged("a\n", "--", "echo").fails(Status.BAD, "--joblog " + log() + refused);
    Files.writeString(log(), "precious\n");
    logged("a\n", "--resume", "--", "echo")
        .fails(Status.BAD, "--joblog " + log() + " is another kind of file");
    assertEquals("precious\n", Files.readString(log()));
  }

  @Test
  void aLogOfARunThatWasRefusedIsEmpty() throws Exception {
    Files.writeString(log(), HEAD + "\n");
    logged("a\n", "--", "echo").succeeds("a\n");
    assertEquals(List.of("echo a"), column(8));
    Files.writeString(log(), HEAD.substring(0, 5));
    logged("a\n", "--", "echo").succeeds("a\n");
    assertEquals(List.of("echo a"), column(8));
  }

  /** The first tells what the log has when the second has ended, as the third has begun. */
  @Test
  void anEntryIsWrittenWhenItsOutputIsPrinted() throws Exception {
    String script =
        "case $1 in 1) until [ -e $0/third ]; do sleep 0.01; done; tail -n +2 $0/log;;"
            + " 3) touch $0/third;; esac";
    String[] command = {
      "run",
      "-q",
      "-kj2",
      "unlimited",
      "--joblog",
      "" + log(),
      "--",
      "sh",
      "-c",
      script,
      "" + folder
    };
    Session.given("1\n2\n3\n").inRealTime().run(command).succeeds("");
    assertEquals(List.of("1", "2", "3"), column(0));
  }

  @Test
  void aLogIsOfOneRunAtATime() throws Exception {
    try (var open = Joblog.open(log().toString(), false)) {
      logged("a\n", "--resume", "--", "echo")
          .fails(Status.BAD, "--joblog " + log() + " is in use by another run");
    }
  }

  // ---- retries

  @Test
  void aCommandThatFailsIsTriedAgain() throws Exception {
    String script = "echo $1 >>$0; [ $(wc -l <$0) = 3 ]";
    Path tries = folder.resolve("tries");
    var session =
        logged("a\n", "--retries=2", "--backoff=1ms", "--", "sh", "-c", script, tries.toString());
    assertEquals(Status.OK, session.status());
    assertEquals(3, Files.readAllLines(tries).size());
    assertEquals(List.of("0"), column(6));
    assertEquals(
        """
        pacegate: line 1 (a): status 1, trying again in 1ms (retry 1 of 2)
        pacegate: line 1 (a): status 1, trying again in 2ms (retry 2 of 2)
        """,
        session.err());
  }

  @Test
  void triesEndAndTheirOutputIsKept() throws Exception {
    var session =
        run("a\n", "unlimited", "--retries=1", "--backoff=1ms", "--", "sh", "-c", "echo x; exit 3");
    assertEquals(Status.COMMAND_FAILED, session.status());
    assertEquals("x\nx\n", session.out());
    assertTrue(session.err().endsWith("pacegate: line 1 (a): status 3\n"), session.err());
  }

  @Test
  void aRetryThatTheEndOfTheRunPreventsHasFailed() throws Exception {
    String script = "[ $1 != 1 ] || exit 3; until [ -e $0/again ]; do sleep 0.01; done; exit 255";
    String[] command = {
      "run",
      "-q",
      "-kj2",
      "2/1d",
      "--joblog",
      "" + log(),
      "--retries=2",
      "--backoff=1h",
      "--",
      "sh",
      "-c",
      script,
      "" + folder
    };
    Session session =
        Session.given("1\n2\n")
            .inRealTime()
            .touches(folder.resolve("again"), "again in 1h")
            .run(command);
    assertTrue(session.err().contains("pacegate: line 1 (1): status 3\n"), session.err());
    assertEquals(List.of("255", "3"), column(6).stream().sorted().toList());
  }

  @Test
  void eachTryTakesAPermit() {
    long began = System.nanoTime();
    run("a\n", "1/200ms", "--retries=2", "--backoff=1ms", "--", "false");
    assertTrue(System.nanoTime() - began >= 400_000_000, "3 permits, 200ms apart");
  }

  @Test
  void theWaitDoublesUpToAMinute() {
    var retries = new JobRetries(1000, Duration.ofSeconds(1));
    assertEquals(Duration.ofSeconds(1), retries.wait(1));
    assertEquals(Duration.ofSeconds(32), retries.wait(6));
    assertEquals(Duration.ofMinutes(1), retries.wait(7));
    assertEquals(Duration.ofMinutes(1), retries.wait(1000));
    assertEquals(Duration.ofHours(1), new JobRetries(3, Duration.ofHours(1)).wait(2));
  }

  @Test
  void aRefusalPausesAll() {
    long began = System.nanoTime();
    var session =
        run("75\n0\n", "concurrent(1)", "--pause-on", "75=300ms", "--", "sh", "-c", "exit $1", "x");
    assertTrue(System.nanoTime() - began >= 300_000_000, "a pause of 300ms");
    assertTrue(session.err().contains("status 75: nothing is sent for 300ms"), session.err());
    assertEquals(Status.COMMAND_FAILED, session.status());
  }

  @Test
  void aPauseHoldsForTheNextRunToo() throws Exception {
    String[] options = {"concurrent(1)", "--state", "" + folder.resolve("state"), "--no-wait"};
    String[] command = {"--pause-on=75=1h", "--", "sh", "-c", "exit $1", "x"};
    String[] all = Stream.of(options, command).flatMap(Stream::of).toArray(String[]::new);
    assertTrue(run("75\n", all).err().contains("status 75: nothing is sent for 1h\n"));
    Session next = run("0\n", all);
    assertTrue(
        next.err().matches("pacegate: nothing is sent for 59m[^\n]*\npacegate: 1 line is left\n"),
        next.err());
    assertEquals(Status.LEFT, next.status());
    Files.writeString(folder.resolve("state.pause"), "2026-01-01T00:00:00Z\n");
    run("0\n", all).succeeds("");
    Files.writeString(folder.resolve("state.pause"), "soon");
    run("0\n", all)
        .fails(Status.BAD, folder.resolve("state.pause") + " tells no instant: remove it");
    Files.delete(folder.resolve("state.pause"));
    run("0\n", all).succeeds(""); // what failed has let go of the state
  }

  /** A clock that was set back must not hold up all for longer than a pause takes. */
  @Test
  void aPauseIsNoLongerThanOneThatIsAskedFor() throws Exception {
    Path state = folder.resolve("state");
    Files.writeString(folder.resolve("state.pause"), "2999-01-01T00:00:00Z\n");
    String[] command = {"concurrent(1)", "--state", "" + state, "--pause-on=75=10ms,76=20ms"};
    var session =
        run(
            "0\n",
            Stream.concat(Stream.of(command), Stream.of("--", "true")).toArray(String[]::new));
    assertEquals("pacegate: nothing is sent for 20ms\n", session.err());
    assertEquals(Status.OK, session.status());
  }

  @Test
  void anArgumentBesideBytesThatAreNoTextMayBeginWithADash() {
    byte[] line = {(byte) 0xff, '\n'};
    String[] command = {"run", "-q", "unlimited", "-j2", "--", "printf", "<%s>", "-n", "{}"};
    Session session = Session.given(line).inRealTime().run(command);
    assertEquals("<-n><\u00ff>", new String(session.bytes(), ISO_8859_1));
  }

  // ---- statuses

  @Test
  void outputThatCannotBeReadIsNoTypo() {
    var session = run("a\n", "unlimited", "--", "sh", "-c", "rm $(readlink /proc/$$/fd/1)");
    assertTrue(session.err().contains("cannot read what a command wrote"), session.err());
    assertEquals(Status.IO, session.status());
  }

  @Test
  void aTypoIsToldByWhatIsThereInAnyLanguage() {
    String file = folder.toString();
    var translated = new FileSystemException(file, null, "Ist ein Verzeichnis");
    assertEquals(Status.BAD, Failure.cannotOpen(file, translated).status());
    String missing = folder.resolve("missing").toString();
    var noFile = new NoSuchFileException(missing);
    assertEquals(Status.BAD, Failure.cannotOpen(missing, noFile).status());
    assertEquals(Status.IO, Failure.cannotWrite(missing, noFile).status());
  }

  // ---- options

  @Test
  void refusesOptionsWithoutAnEffect() {
    run("", "1/1d", "--rest", "x", "--", "true")
        .fails(Status.BAD, "--rest needs --no-wait: else every line waits for its turn");
    run("", "1/1d", "--resume", "--", "true")
        .fails(Status.BAD, "--resume needs --joblog FILE, which tells what was done");
    run("", "1/1d", "--backoff", "1s", "--", "true")
        .fails(Status.BAD, "--backoff has no effect without --retries");
    run("", "1/1d", "--no-wait", "--retries=1", "--", "true")
        .fails(Status.BAD, "--retries wait, which --no-wait does not");
    run("", "1/1d", "--pause-on", "0=1s", "--", "true")
        .fails(
            Status.BAD,
            "--pause-on takes STATUS=SPAN, such as 75=30s, with a status from 1 to 254: 0=1s");
    run("", "1/1d", "--no-wait", "--rest", "x", "--joblog", "" + log(), "--resume", "--", "true")
        .fails(
            Status.BAD,
            "--rest and --resume are alternatives: the one keeps what is not done, the other skips"
                + " what is");
    assertFalse(Files.exists(log()));
  }
}
