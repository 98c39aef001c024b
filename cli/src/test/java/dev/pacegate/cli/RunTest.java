package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.Durations;
import dev.pacegate.time.Time;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A command for each line. With {@code -j 2} what they write is seen by the session. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(180)
class RunTest {

  /** Runs commands, one after the other since there is one permit at a time, in groups. */
  private static Session run(String input, String... arguments) {
    return run(Session.given(input), "concurrent(1)", arguments);
  }

  private static Session run(Session session, String limit, String... arguments) {
    return run(session, 2, limit, arguments);
  }

  private static Session run(Session session, int jobs, String limit, String... arguments) {
    Stream<String> all =
        Stream.concat(Stream.of("run", "-q", "-j" + jobs, limit), Stream.of(arguments));
    return session.inRealTime().run(all.toArray(String[]::new));
  }

  @Test
  void putsTheLineInEveryPlaceThatIsMarked() {
    run("1\n2", "--", "echo", "a{}b{}", "{", "}", "{}").succeeds("a1b1 { } 1\na2b2 { } 2\n");
  }

  @Test
  void appendsTheLineIfNoPlaceIsMarked() {
    run("1\na  b $HOME *\n", "--", "echo", "x").succeeds("x 1\nx a  b $HOME *\n");
    run("1\n", "echo", "x").succeeds("x 1\n");
  }

  @Test
  void mayTakeEvenTheCommandFromTheLine() {
    run("echo\nprintf\n", "--", "{}", "x").succeeds("x\nx");
  }

  @Test
  void needsNoLimitBeforeTheCommandIfThereIsOneElsewhere() {
    Session.given("1\n")
        .inRealTime()
        .run("run", "-q", "-l", "concurrent(1)", "-j2", "--", "echo", "{}")
        .succeeds("1\n");
  }

  @Test
  void runsEmptyLinesUnlessTold() {
    run("\n1\n\n", "--", "echo", "x{}").succeeds("x\nx1\nx\n");
    run("\n1\n\n", "-r", "--", "echo", "x{}").succeeds("x1\n");
    run("", "--", "echo", "x{}").succeeds("");
  }

  @Test
  void tellsWhichCommandsFail() {
    var session = run("3\n0\n4\n0\n", "--", "sh", "-c", "exit $1", "x");
    assertEquals(Status.COMMAND_FAILED, session.status());
    assertEquals(
        """
        pacegate: line 1 (3): status 3
        pacegate: line 3 (4): status 4
        pacegate: 2 of 4 commands failed
        """,
        session.err());
    session = run("0\n3\n0\n", "--", "sh", "-c", "exit $1", "x");
    assertEquals(
        "pacegate: line 2 (3): status 3\npacegate: 1 of 3 commands failed\n", session.err());
    session = run("x".repeat(70) + "\n", "--", "sh", "-c", "kill -9 $$", "x");
    assertEquals(Status.COMMAND_KILLED, session.status());
    String shortened = "x".repeat(59) + "…";
    assertEquals("pacegate: line 1 (" + shortened + "): killed by signal 9\n", session.err());
  }

  /** A letter of Chinese takes two cells. */
  @Test
  void aLineIsNamedInAsManyCellsOfTheTerminal() {
    assertEquals(
        "line 1 (" + "漢".repeat(29) + "…)",
        new InputLine("漢".repeat(60).getBytes(World.NATIVE), 1, 1).quoted());
    assertEquals(
        "line 1 (" + "漢".repeat(30) + ")",
        new InputLine("漢".repeat(30).getBytes(World.NATIVE), 1, 1).quoted());
  }

  @Test
  void refusesWhatHasNoEffect() {
    for (String status : List.of("0", "-1", "256", "300")) {
      run("1\n", "--lost=" + status, "--", "true")
          .fails(2, "--lost takes statuses from 1 to 255: " + status);
    }
    run(Session.given("1\n"), "starts(5/1s)", "--unanswered=1s", "--", "true")
        .fails(2, "--unanswered has no effect on starts(5/1s), which does not count ends");
  }

  @Test
  void readsLinesThatEndWithNul() {
    run("a\nb\0c\0", "-0", "--", "echo").succeeds("a\nb\nc\n");
    run("a\nb\0c\n", "--", "echo")
        .fails(
            2,
            "a line contains a NUL byte, which no argument can: tr -d '\\0' removes it; no command was started after line 1");
  }

  @Test
  void readsLinesFromAFile(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("lines"), "1\n2\n");
    run("3\n", "-a", file.toString(), "--", "echo").succeeds("1\n2\n");
  }

  @Test
  void passesOnTheBytesOfTheLineWhateverTheyMean() {
    var line = new ByteArrayOutputStream();
    for (int b = 1; b < 256; b++) {
      line.write(b == '\n' ? ' ' : b);
    }
    byte[] all = line.toByteArray();
    assertArrayEquals(all, run(Session.given(all), "concurrent(1)", "--", "printf", "%s").bytes());
    var around =
        run(Session.given(all), "concurrent(1)", "--", "printf", "%s|%s", "\n{}\n\n", "é").bytes();
    var expected = new ByteArrayOutputStream();
    expected.write('\n');
    expected.writeBytes(all);
    expected.writeBytes("\n\n|é".getBytes(UTF_8));
    assertArrayEquals(expected.toByteArray(), around);
  }

  @Test
  void givesCommandsNothingToRead() {
    run("1\n2\n3\n", "--", "sh", "-c", "cat; echo $0").succeeds("1\n2\n3\n");
  }

  @ParameterizedTest
  @CsvSource({
    "exit 0, 0",
    "exit 1, 123",
    "exit 125, 123",
    "exit 126, 123",
    "exit 254, 123",
    "kill -9 $$, 125",
    "kill -TERM $$, 125",
    "kill -PIPE $$, 125"
  })
  void goesOnAndTellsByItsStatusHowCommandsEnded(String script, int status) {
    var session = run("1\n2\n3\n", "--", "sh", "-c", "echo {}; [ {} != 2 ] || " + script);
    assertEquals("1\n2\n3\n", session.out());
    String told = "pacegate: line 2 [(]2[)]: [^\n]*\npacegate: 1 of 3 commands failed\n";
    boolean isTold = session.err().matches(told);
    assertEquals(status != 0, isTold, session.err());
    assertEquals(status, session.status());
  }

  @Test
  void tellsTheWorstOfSeveralStatuses() {
    var session = run("exit 3\nkill -9 $$\nexit 1\n", "--", "sh", "-c", "{}");
    assertEquals(Status.COMMAND_KILLED, session.status());
  }

  @Test
  void stopsWhenACommandSaysSo() {
    var session = run("1\n2\n3\n4\n", "--", "sh", "-c", "echo {}; [ {} != 2 ] || exit 255");
    session.fails(
        124, "line 2 (2): the command ended with status 255; no command was started after line 2");
    assertEquals("1\n2\n", session.out());
  }

  /** What it writes goes to a file: no reader can have stopped. */
  @Test
  void aStatusOf141OfACommandInAGroupIsItsOwn() {
    var session = run("a\nb\nc\n", "-k", "--", "sh", "-c", "echo $0; exit 141");
    assertEquals("a\nb\nc\n", session.out());
    assertTrue(session.err().endsWith("pacegate: 3 of 3 commands failed\n"), session.err());
    assertEquals(Status.COMMAND_KILLED, session.status());
  }

  @Test
  void spendsNothingOnACommandThatDoesNotExist(@TempDir Path folder) throws Exception {
    run("1\n", "--", "no-such-command").fails(127, "there is no command no-such-command");
    run("1\n", "--", "/no/such/command").fails(127, "there is no command /no/such/command");
    Path file = Files.writeString(folder.resolve("file"), "text");
    run("1\n", "--", file.toString()).fails(126, "cannot run " + file);
    run("1\n", "--", folder.toString()).fails(126, "cannot run " + folder);
    run("echo\nno-such\n", "--", "{}", "x")
        .fails(127, "there is no command no-such; no command was started after line 1");
    run("1\n").fails(2, "no CMD is given: pacegate run LIMIT -- CMD (try 'pacegate run --help')");
  }

  @Test
  void refusesALineThatIsTooLongForAnArgument() {
    var session = run("1\n" + "x".repeat(200_000) + "\n", "--", "echo");
    assertEquals(Status.CANNOT_RUN, session.status());
    assertEquals(1, session.err().lines().count(), session.err());
    assertTrue(session.err().startsWith("pacegate: line 2: "), session.err());
    session = run("1\n" + "x".repeat(2_000_000) + "\n", "--", "echo");
    session.fails(
        2, "line 2 of standard input is longer than 1 MiB; no command was started after line 1");
  }

  @Test
  void printsWhatACommandWritesInOnePiece() {
    String script = "echo a; sleep 0.$1; echo b; echo c >&2";
    var session = run(Session.given("1\n2\n3\n"), 3, "unlimited", "--", "sh", "-c", script, "x");
    assertEquals("a\nb\na\nb\na\nb\n", session.out());
    assertEquals("c\nc\nc\n", session.err());
  }

  @Test
  void printsInTheOrderOfTheLinesIfTold() {
    String script = "sleep 0.$1; echo $1";
    var session = Session.given("3\n2\n1\n");
    run(session, 3, "unlimited", "-k", "--", "sh", "-c", script, "x").succeeds("3\n2\n1\n");
  }

  /** In a process that has a folder for temporary files of its own. */
  @Test
  void leavesNoTemporaryFiles(@TempDir Path folder) throws Exception {
    List<String> command = ProcessTest.java(Main.class, "run", "-q", "-j2", "unlimited", "echo");
    Path temporary = Files.createDirectory(folder.resolve("temporary"));
    command.add(1, "-Djava.io.tmpdir=" + temporary);
    Path out = folder.resolve("out");
    Process process = new ProcessBuilder(command).redirectOutput(out.toFile()).start();
    try (var in = process.getOutputStream()) {
      in.write("1\n2\n".getBytes(UTF_8));
    }
    assertEquals(0, process.waitFor());
    assertEquals(4, Files.size(out));
    try (Stream<Path> left = Files.list(temporary)) {
      assertEquals(List.of(), left.toList());
    }
  }

  @Test
  void keepsAPermitUntilTheCommandHasEnded(@TempDir Path folder) {
    String script = "mkdir $1/lock || exit 9; sleep 0.05; rmdir $1/lock";
    var session = Session.given("1\n2\n3\n4\n5\n6\n");
    run(session, 4, "concurrent(1)", "--", "sh", "-c", script, "x", folder.toString());
    session.succeeds("");
  }

  @Test
  void countsAsThePeerDoes() {
    long began = System.nanoTime();
    var session = Session.given("1\n2\n3\n");
    run(session, 3, "1/100ms", "--", "sh", "-c", "sleep 0.1").succeeds("");
    assertTrue(System.nanoTime() - began >= 500_000_000, "3 commands of 100ms, 100ms apart");
  }

  @Test
  void keepsThePermitOfALostRequestForLonger() {
    long began = System.nanoTime();
    var session = Session.given("1\n2\n");
    String[] command = {"--lost", "28", "--unanswered", "400ms", "--", "sh", "-c", "exit 28"};
    run(session, "1/100ms", command);
    assertEquals(Status.COMMAND_FAILED, session.status());
    assertTrue(System.nanoTime() - began >= 500_000_000, "400ms until it is over, 100ms apart");
  }

  @Test
  void countsStartsOnlyIfTold() throws Exception {
    assertEquals("peer(10/1m)", effective("10/1m", null));
    assertEquals("peer(10/1m, margin=0s)", effective("peer(10/1m, margin=0s)", null));
    assertEquals("starts(10/1m)", effective("starts(10/1m)", null));
    assertEquals(
        "peer(10/1s) & peer(200/1m) & concurrent(4)",
        effective("10/1s & 200/1m & concurrent(4)", null));
    assertEquals(
        "peer(10/1m, unanswered=5s) & concurrent(4)", effective("10/1m & concurrent(4)", "5s"));
    assertThrows(Failure.class, () -> effective("bucket(1/1s, slack=1s)", null));
  }

  @Test
  void leavesAloneWhatSaysItselfHowLongALostRequestIsCounted() throws Exception {
    assertEquals(
        "peer(10/1m, counted=2s) & peer(5/1s, unanswered=5s)",
        effective("peer(10/1m, counted=2s) & peer(5/1s)", "5s"));
    var failure = assertThrows(Failure.class, () -> effective("peer(10/1m, counted=2s)", "5s"));
    assertEquals(
        "--unanswered has no effect on peer(10/1m, counted=2s): counted says until when a lost"
            + " request may be counted, too",
        failure.getMessage());
  }

  /** Such as a thread that cannot be made for want of memory. */
  @Test
  void anErrorWhileStartingEndsTheRun() throws Failure {
    var results =
        new Results() {
          @Override
          public CommandResult attach(ProcessBuilder command) {
            throw new OutOfMemoryError("unable to create native thread");
          }

          @Override
          public boolean isFull() {
            return false;
          }

          @Override
          public void close() {}
        };
    World world = world(new ByteArrayInputStream("a\n".getBytes(UTF_8)));
    var template = new Template(List.of("true"));
    var options =
        new Runner.RunSettings(
            1, false, new StatusMeanings(Set.of(), Map.of()), JobRetries.NONE, null, null, null);
    var runner =
        new Runner(
            template, new JobPermits(Limiter.of("unlimited"), null), results, options, told -> {});
    var lines = new Lines(Input.open(null, world), '\n');
    var failure =
        assertThrows(
            Failure.class,
            () -> assertTimeoutPreemptively(Duration.ofMinutes(2), () -> runner.run(lines)));
    assertEquals(Status.BAD, failure.status());
    assertEquals(
        "unexpected: java.lang.OutOfMemoryError: unable to create native thread",
        failure.getMessage());
  }

  /** A reader that does not read keeps neither commands from starting nor the run from ending. */
  @ParameterizedTest
  @ValueSource(strings = {"-j4", "-kj4"})
  void theRunEndsOnASignalThoughNoReaderIsLeft(String jobs) throws Exception {
    var writing = new CountDownLatch(1);
    var started = new CountDownLatch(1);
    var never = new CountDownLatch(1);
    var in =
        new InputStream() {
          private int reads;

          @Override
          public int read() {
            throw new AssertionError("a byte at a time");
          }

          @Override
          public int read(byte[] bytes, int from, int length) {
            reads++;
            if (reads == 2) {
              await(writing);
            } else if (reads == 3) { // as the second command has been started
              started.countDown();
              await(never);
            }
            bytes[from] = 'a';
            bytes[from + 1] = '\n';
            return 2;
          }
        };
    var out =
        new OutputStream() {
          @Override
          public void write(int b) {
            throw new AssertionError("a byte at a time");
          }

          @Override
          public void write(byte[] bytes, int from, int length) {
            writing.countDown();
            await(never);
          }
        };
    var exits = new CopyOnWriteArrayList<Runnable>();
    World world = world(in, out, exits::add);
    var run = new Thread(() -> Main.run(world, "run", "-q", "unlimited", jobs, "--", "echo"));
    run.setDaemon(true);
    run.start();
    assertTrue(started.await(120, TimeUnit.SECONDS), "no command is started while one is printed");
    assertTimeoutPreemptively(Duration.ofMinutes(2), () -> exits.forEach(Runnable::run));
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static World world(InputStream in) {
    return world(in, OutputStream.nullOutputStream(), exit -> {});
  }

  private static World world(InputStream in, OutputStream out, Consumer<Runnable> atExit) {
    var err = new PrintStream(OutputStream.nullOutputStream(), true, UTF_8);
    return new World(in, out, err, Time.system(), atExit, World.Screen.NONE, Map.of());
  }

  private static String effective(String limit, @Nullable String unanswered) throws Failure {
    return Run.effective(
            Limits.parse(limit), unanswered == null ? null : Durations.parse(unanswered))
        .toString();
  }

  @Test
  void saysWhichLimitIsInForce() {
    var session = Session.given("").run("run", "10/1m", "--", "true");
    assertEquals("pacegate: limit peer(10/1m)\n", session.err());
    assertEquals(Status.OK, session.status());
  }

  @Test
  void runsAsManyAsTheLimitLetsThroughIfTold() {
    assertEquals(10, Run.mostAtOnce(Limits.parse("peer(10/1m & 200/1h)")));
    assertEquals(4, Run.mostAtOnce(Limits.parse("peer(10/1m) & concurrent(4)")));
    assertEquals(1, Run.mostAtOnce(Limits.parse("peer(10/1m) & peer(spacing(1s))")));
    assertEquals(20, Run.mostAtOnce(Limits.parse("peer(bucket(100/1s, burst=20))")));
    assertEquals(1000, Run.mostAtOnce(Limits.parse("fixed(3/1s)")));
    assertEquals(1000, Run.mostAtOnce(Limits.parse("starts(10/1m) & peer(100000/1h)")));
    run(Session.given("1\n2\n3\n"), 0, "peer(3/1h)", "-k", "--", "echo").succeeds("1\n2\n3\n");
    Session.given("")
        .run("run", "1/1s", "-j", "-1", "--", "true")
        .fails(2, "-j must be 0 or more: -1");
  }
}
