package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Limits;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What only a process of its own shows: signals, closed pipes, full devices, bounded memory. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(
    value = 300,
    threadMode = ThreadMode.SEPARATE_THREAD) // reading a pipe cannot be interrupted
@Tag("slow")
class ProcessTest {

  private static final String CLASS_PATH =
      System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));

  private final List<Process> started = new ArrayList<>();

  @TempDir Path folder;

  @AfterEach
  void killAll() {
    started.forEach(Process::destroyForcibly);
  }

  /** Returns the command that runs {@code main} with these arguments in a process of its own. */
  static List<String> java(Class<?> main, String... arguments) {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"));
    command.addAll(List.of("-cp", CLASS_PATH, main.getName()));
    command.addAll(List.of(arguments));
    return command;
  }

  private ProcessBuilder pacegate(String... arguments) {
    return new ProcessBuilder(java(Main.class, arguments)).redirectError(err());
  }

  /** With less memory than others have. */
  private ProcessBuilder within(String memory, String... arguments) {
    List<String> command = java(Main.class, arguments);
    command.set(1, "-Xmx" + memory);
    return new ProcessBuilder(command).redirectError(err());
  }

  private File err() {
    return folder.resolve("stderr").toFile();
  }

  private Process start(ProcessBuilder builder) throws IOException {
    Process process = builder.start();
    started.add(process);
    return process;
  }

  private void assertEnds(int status, String err, Process process) throws Exception {
    assertEnds(status, err, process, err().toPath());
  }

  private static void assertEnds(int status, String err, Process process, Path file)
      throws Exception {
    assertTrue(process.waitFor(120, TimeUnit.SECONDS), "it hangs");
    assertEquals(err, Files.readString(file, UTF_8));
    assertEquals(status, process.exitValue());
  }

  // ---- closed and full outputs

  @Test
  void endsSilentlyWhenNoReaderIsLeft() throws Exception {
    Process process =
        start(pacegate("pipe", "-q", "unlimited").redirectInput(new File("/dev/zero")));
    assertEquals(0, process.getInputStream().read());
    process.getInputStream().close();
    assertEnds(141, "", process);
  }

  /** The next line is due in an hour, or never comes. */
  @ParameterizedTest
  @EnabledOnOs(OS.LINUX)
  @ValueSource(strings = {"1\n2\n", "1\n"})
  void endsWhenNoReaderIsLeftThoughNothingIsToBeWritten(String input) throws Exception {
    Process process = start(pacegate("pipe", "-q", "1/1h"));
    process.getOutputStream().write(input.getBytes(UTF_8));
    process.getOutputStream().flush();
    assertEquals('1', process.getInputStream().read());
    process.getInputStream().close();
    assertEnds(141, "", process);
  }

  /** Then a look waits, which must not hold up the writes. */
  @Test
  void aPipeThatIsFullIsReadToItsEnd() throws Exception {
    Path lines = Files.writeString(folder.resolve("lines"), "x\n".repeat(200_000));
    Process process = start(pacegate("pipe", "-q", "unlimited").redirectInput(lines.toFile()));
    assertEquals('x', process.getInputStream().read());
    Thread.sleep(1500); // for two looks at a full pipe
    assertEquals(399_999, process.getInputStream().readAllBytes().length);
    assertEnds(0, "", process);
  }

  /** A pipe with a name may get another reader. */
  @Test
  void aPipeWithANameWaitsForItsNextReader() throws Exception {
    Path pipe = folder.resolve("pipe");
    assertEquals(0, new ProcessBuilder("mkfifo", pipe + "").start().waitFor());
    var command = new ArrayList<>(List.of("sh", "-c", "exec \"$@\" >\"$0\"", pipe + ""));
    command.addAll(java(Main.class, "pipe", "-q", "unlimited"));
    Process process = start(new ProcessBuilder(command).redirectError(err()));
    OutputStream input = process.getOutputStream();
    input.write("1\n".getBytes(UTF_8));
    input.flush();
    try (var reader = Files.newBufferedReader(pipe)) {
      assertEquals("1", reader.readLine());
    }
    Thread.sleep(1500); // for two looks
    try (var reader = Files.newBufferedReader(pipe)) {
      input.write("2\n".getBytes(UTF_8));
      input.close();
      assertEquals("2", reader.readLine());
    }
    assertEnds(0, "", process);
  }

  /** What is left is for a later process, whether this one has a reader or not. */
  @Test
  void theRestIsWrittenThoughTheReaderHasGone() throws Exception {
    Path rest = folder.resolve("rest");
    Process process = start(pacegate("pipe", "-q", "--no-wait", "--rest", rest + "", "1/1h"));
    OutputStream input = process.getOutputStream();
    input.write("1\n2\n".getBytes(UTF_8));
    input.flush();
    assertEquals('1', process.getInputStream().read());
    process.getInputStream().close();
    Thread.sleep(1500); // for two looks
    input.write("3\n".getBytes(UTF_8));
    input.close();
    assertEquals(Status.LEFT, process.waitFor());
    assertEquals("2\n3\n", Files.readString(rest));
  }

  @Test
  void endsSilentlyWhenNoReaderIsLeftForWhatCommandsWrite() throws Exception {
    for (String jobs : List.of("-j1", "-j2")) {
      // More than a pipe holds, so that the end of all commands is later than that of the reader.
      Path lines = Files.writeString(folder.resolve("lines"), "x\n".repeat(100_000));
      Process process =
          start(pacegate("run", "-q", jobs, "1000/1s", "--", "echo").redirectInput(lines.toFile()));
      assertEquals('x', process.getInputStream().read());
      process.getInputStream().close();
      assertEnds(141, "", process);
    }
  }

  @Test
  void aStatusOf141OfACommandThatWritesToAFileIsItsOwn() throws Exception {
    Path lines = Files.writeString(folder.resolve("lines"), "1\n2\n");
    Path out = folder.resolve("out");
    Process process =
        start(
            pacegate("run", "-q", "unlimited", "--", "sh", "-c", "echo {}; exit 141")
                .redirectInput(lines.toFile())
                .redirectOutput(out.toFile()));
    String told =
        """
        pacegate: line 1 (1): killed by signal 13
        pacegate: line 2 (2): killed by signal 13
        pacegate: 2 of 2 commands failed
        """;
    assertEnds(125, told, process);
    assertEquals("1\n2\n", Files.readString(out));
  }

  @Test
  void tellsThatTheDeviceIsFull() throws Exception {
    var full = new File("/dev/full");
    assumeTrue(full.exists());
    String told = "pacegate: cannot write to standard output: No space left on device\n";
    Path input = Files.writeString(folder.resolve("in"), "1\n2\n");
    Map<List<String>, Process> all = new LinkedHashMap<>(); // side by side
    for (List<String> arguments :
        List.of(
            List.of("pipe", "-q", "unlimited"),
            List.of("audit", "1/1s", "--json"),
            List.of("limits"),
            List.of("simulate", "jitter", "--sends", "10"),
            List.of("--help"),
            List.of("run", "-q", "-j2", "concurrent(1)", "--", "sh", "-c", "[ {} = 1 ] || echo"))) {
      ProcessBuilder builder = pacegate(arguments.toArray(String[]::new));
      builder.environment().put("LC_ALL", "C.UTF-8");
      builder.redirectError(folder.resolve("stderr of " + arguments.get(0)).toFile());
      all.put(arguments, start(builder.redirectInput(input.toFile()).redirectOutput(full)));
    }
    for (List<String> arguments : all.keySet()) {
      String where =
          arguments.contains("run")
              ? told.replace("\n", "; no command was started after line 2\n")
              : told;
      Path err = folder.resolve("stderr of " + arguments.get(0));
      assertEnds(Status.IO, where, requireNonNull(all.get(arguments)), err);
    }
  }

  // ---- memory

  @Test
  void copiesALongStreamWithoutANewlineInConstantMemory() throws Exception {
    copyZeros(60_000_000L);
  }

  @Test
  @Tag("heavy")
  void copiesAGigabyteWithoutANewlineInConstantMemory() throws Exception {
    copyZeros(1L << 30);
  }

  private void copyZeros(long bytes) throws Exception {
    for (String unit : List.of("lines", "bytes")) {
      String limit = unit.equals("lines") ? "1/1h" : "1000000000/1s";
      ProcessBuilder builder = within("24m", "pipe", "-q", limit, "--cost", unit);
      Process zeros = start(new ProcessBuilder("head", "-c", String.valueOf(bytes), "/dev/zero"));
      Process process = start(builder);
      Thread feeder = new Thread(() -> feed(zeros, process));
      feeder.start();
      assertEquals(bytes, count(process.getInputStream()));
      feeder.join();
      assertEnds(0, "", process);
    }
  }

  private static void feed(Process from, Process to) {
    try (InputStream in = from.getInputStream();
        var out = to.getOutputStream()) {
      in.transferTo(out);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static long count(InputStream in) throws IOException {
    byte[] buffer = new byte[1 << 16];
    long count = 0;
    for (int n = in.read(buffer); n > 0; n = in.read(buffer)) {
      count += n;
    }
    return count;
  }

  @Test
  void auditsALongLogInConstantMemory() throws Exception {
    audit(500_000, "16m");
  }

  @Test
  @Tag("heavy")
  void auditsAVeryLongLogInConstantMemory() throws Exception {
    audit(3_000_000, "64m");
  }

  private void audit(long lines, String memory) throws Exception {
    Path log = folder.resolve("log");
    try (var out = Files.newBufferedWriter(log)) {
      for (long i = 0; i < lines; i++) {
        out.write(Long.toString(i * 10_000));
        out.write('\n');
      }
    }
    Process process = start(within(memory, "audit", "100000/1s", "-u", "ns", log.toString()));
    String text = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertEnds(0, "", process);
    assertTrue(text.startsWith(lines + " requests within "), text);
  }

  @Test
  void simulatesManySendsInConstantMemory() throws Exception {
    simulate(200_000, "16m");
  }

  @Test
  @Tag("heavy")
  void simulatesVeryManySendsInConstantMemory() throws Exception {
    simulate(2_000_000, "64m");
  }

  private void simulate(long sends, String memory) throws Exception {
    String peer = "sliding(10/1s)";
    Process process =
        start(within(memory, "simulate", "peer(10/1s)", "--peer", peer, "--sends", "" + sends));
    String text = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertEnds(0, "", process);
    assertTrue(text.contains(sends + " in "), text);
  }

  // ---- killed, and started again

  @Test
  void aKilledPipeIsRememberedByTheNext() throws Exception {
    Path state = folder.resolve("state");
    long began = System.nanoTime();
    for (int life = 0; life < 3; life++) {
      Process process =
          start(
              pacegate("pipe", "-q", "peer(4/1s, unanswered=500ms)", "--state", state.toString()));
      process.outputWriter(UTF_8).append("x\n".repeat(4)).flush();
      BufferedReader out = process.inputReader(UTF_8);
      for (int line = 0; line < 4; line++) {
        assertEquals("x", out.readLine());
      }
      process.destroyForcibly().waitFor();
    }
    long millis = (System.nanoTime() - began) / 1_000_000;
    assertTrue(millis >= 2 * 1000, "12 lines, 4 in any second, within " + millis + " ms");
  }

  /** Each command notes when it ran, which is while its permit was open. */
  @Test
  void killedRunsStayWithinTheLimit() throws Exception {
    Path state = folder.resolve("state");
    Path log = Files.createFile(folder.resolve("log"));
    var random = new Random();
    Path lines = Files.writeString(folder.resolve("lines"), "x\n".repeat(1000));
    for (int life = 0; life < 3; life++) {
      ProcessBuilder builder =
          pacegate(
              "run",
              "-q",
              "-j4",
              "20/500ms",
              "--unanswered",
              "10s", // a command that has just been started may note its instant so late
              "--state",
              state.toString(),
              "--",
              "sh",
              "-c",
              "date +%s%N >> " + log);
      Process process = start(builder.redirectInput(lines.toFile()));
      awaitLines(log, Files.readAllLines(log).size() + 1 + random.nextInt(30));
      process.destroyForcibly().waitFor();
    }
    Thread.sleep(500); // commands that outlive their parent end by themselves
    long[] instants =
        Files.readAllLines(log).stream().mapToLong(Long::parseLong).sorted().toArray();
    var audit = Audit.of(Limits.parse("20/500ms"));
    for (long instant : instants) {
      audit.add(instant);
    }
    assertTrue(audit.report().kept(), audit.report().text());
  }

  // ---- signals

  @Test
  void anInterruptEndsAPipeInMidWait() throws Exception {
    String err = "";
    // The line is read before its write returns. One that is interrupted in between reports
    // nothing.
    for (int tries = 0; tries < 3 && err.isEmpty(); tries++) {
      Process process = start(pacegate("pipe", "-q", "1/1h", "--report"));
      process.outputWriter(UTF_8).append("1\n2\n").flush();
      BufferedReader out = process.inputReader(UTF_8);
      assertEquals("1", out.readLine());
      interrupt(process);
      assertTrue(process.waitFor(120, TimeUnit.SECONDS), "it hangs");
      assertEquals(130, process.exitValue());
      assertEquals(-1, out.read());
      err = Files.readString(err().toPath());
    }
    assertTrue(err.startsWith("pacegate: 1 request, at "), err);
  }

  @Test
  void anInterruptEndsAPipeThatReads() throws Exception {
    Process process = start(pacegate("pipe", "-q", "1/1h"));
    process.outputWriter(UTF_8).append("1\nand ").flush();
    BufferedReader out = process.inputReader(UTF_8);
    assertEquals("1", out.readLine());
    interrupt(process);
    assertEnds(130, "", process);
  }

  @Test
  void anInterruptEndsWhatRunsAndStartsNothingMore() throws Exception {
    Path pids = Files.createFile(folder.resolve("pids"));
    String script = "echo $$ >> " + pids + "; exec sleep 1000";
    Process process = start(pacegate("run", "-q", "-j2", "10/1h", "--", "sh", "-c", script));
    process.outputWriter(UTF_8).append("1\n2\n3\n").flush();
    List<String> running = awaitLines(pids, 2);
    interrupt(process);
    assertEnds(130, "", process);
    assertEquals(running, Files.readAllLines(pids));
    for (String pid : running) {
      var ended = ProcessHandle.of(Long.parseLong(pid)).map(ProcessHandle::onExit);
      if (ended.isPresent()) { // still there: it was told to end a moment ago
        assertFalse(ended.get().get(120, TimeUnit.SECONDS).isAlive(), pid);
      }
    }
  }

  @Test
  void anInterruptEndsARunThatWaitsForAPermit() throws Exception {
    Process process = start(pacegate("run", "-q", "1/1h", "--", "echo"));
    process.outputWriter(UTF_8).append("1\n2\n").flush();
    BufferedReader out = process.inputReader(UTF_8);
    assertEquals("1", out.readLine());
    interrupt(process);
    assertEnds(130, "", process);
    assertEquals(-1, out.read());
  }

  @Test
  void aCommandThatSaysStopNeedNotWaitForInput() throws Exception {
    Process process = start(pacegate("run", "-q", "10/1h", "--", "sh", "-c", "exit 255"));
    process.outputWriter(UTF_8).append("1\n").flush(); // and the input stays open
    assertEnds(
        124,
        "pacegate: line 1 (1): the command ended with status 255; no command was started after line"
            + " 1\n",
        process);
  }

  private static List<String> awaitLines(Path file, int count) throws Exception {
    List<String> lines = Files.readAllLines(file);
    while (lines.size() < count) {
      Thread.sleep(10); // another process writes them
      lines = Files.readAllLines(file);
    }
    return lines;
  }

  private static void interrupt(Process process) throws Exception {
    assumeFalse(ignoresInterrupts(process), "interrupts are ignored here");
    new ProcessBuilder("kill", "-INT", String.valueOf(process.pid()))
        .redirectError(Redirect.DISCARD)
        .start()
        .waitFor();
  }

  /** A shell that starts its jobs in the background has them, and their children, ignore it. */
  static boolean ignoresInterrupts(Process process) throws IOException {
    Path status = Path.of("/proc/" + process.pid() + "/status");
    if (!Files.exists(status)) {
      return false;
    }
    String ignored =
        Files.readAllLines(status).stream()
            .filter(line -> line.startsWith("SigIgn:"))
            .findFirst()
            .orElse("SigIgn: 0");
    return (Long.parseUnsignedLong(ignored.replaceAll(".*\\s", ""), 16) & 2) != 0;
  }
}
