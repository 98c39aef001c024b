package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pacegate.redis.rig.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What {@code pacegate cluster demo} leaves when it is ended: no process of its session, and no
 * file. The demonstration has a session of its own, as in a terminal.
 */
@EnabledOnOs(OS.LINUX) // which tells the session of each process
@Timeout(value = 400, threadMode = ThreadMode.SEPARATE_THREAD) // reading a pipe
@Tag("servers") // redis-server is on the path
class DemoEndTest {

  private static final Duration LONGEST = Duration.ofMinutes(2);

  private @Nullable Process demo;

  @TempDir Path folder;

  @AfterEach
  void killAll() throws IOException {
    for (long pid : session()) {
      ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  /** A terminal that is closed sends HUP to all of its processes, Ctrl-C sends INT to all. */
  @ParameterizedTest
  @CsvSource({
    "KILL, the command, 1",
    "HUP, all, 1",
    "INT, all, 1",
    "TERM, the command, 1",
    "KILL, the command, processes share"
  })
  void nothingIsLeftHoweverTheDemonstrationEnds(String signal, String whom, String after)
      throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/setsid")), "setsid is missing");
    Process started = start();
    assumeFalse(ignores(started, signal), signal + " is ignored here");
    try (BufferedReader out = started.inputReader()) {
      String line = out.readLine();
      while (line != null && !line.matches(" *\\d* *" + after + "\\b.*")) {
        line = out.readLine();
      }
      assertNotNull(line, () -> "it ended before: " + after);
      assertTrue(session().size() > 1, () -> "it has started nothing");
      signal(signal, (whom.equals("all") ? "-" : "") + started.pid());
      started.waitFor();
      Await.until(() -> "left: " + commands(), LONGEST, () -> session().isEmpty());
    }
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(List.of(), files.toList());
    }
  }

  @Test
  void aMissingServerIsToldWithWhatToDo() throws Exception {
    for (String tool : List.of("sh", "cat")) {
      Files.createSymbolicLink(folder.resolve(tool), Path.of("/bin/" + tool));
    }
    var builder = new ProcessBuilder(ProcessTest.java(Main.class, "cluster", "demo"));
    builder.environment().put("PATH", folder.toString());
    Process started = builder.redirectErrorStream(true).start();
    try (BufferedReader out = started.inputReader()) {
      assertEquals(
          List.of("pacegate: redis-server does not run (is it installed, and in the PATH?)"),
          out.lines().toList());
    }
    assertEquals(Status.BAD, started.waitFor());
  }

  private Process start() throws IOException {
    List<String> command = ProcessTest.java(Main.class, "cluster", "demo", "--seconds", "3600");
    command.add(1, "-Djava.io.tmpdir=" + folder);
    command.add(0, "/usr/bin/setsid");
    var builder = new ProcessBuilder(command).redirectErrorStream(true).directory(folder.toFile());
    builder.environment().put("TMPDIR", folder.toString());
    Process started = builder.start();
    demo = started;
    return started;
  }

  private static void signal(String name, String whom) throws Exception {
    String line = "kill -s " + name + " -- " + whom;
    assertEquals(0, new ProcessBuilder("sh", "-c", line).inheritIO().start().waitFor());
  }

  private static boolean ignores(Process process, String signal) throws IOException {
    int number = List.of("HUP", "INT").indexOf(signal); // signals 1 and 2
    return number >= 0 && (ignored(process) >> number & 1) != 0;
  }

  private static long ignored(Process process) throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/" + process.pid() + "/status"))) {
      String line = lines.filter(each -> each.startsWith("SigIgn:")).findFirst().orElseThrow();
      return Long.parseUnsignedLong(line.replaceAll(".*\\s", ""), 16);
    }
  }

  /** Returns the numbers of the processes of the demonstration that have not ended. */
  private List<Long> session() throws IOException {
    var pids = new ArrayList<Long>();
    Process leader = demo;
    if (leader == null) {
      return pids;
    }
    try (Stream<Path> all = Files.list(Path.of("/proc"))) {
      for (Path each : all.filter(path -> path.toString().matches("/proc/\\d+")).toList()) {
        if (isOf(leader.pid(), each)) {
          pids.add(Long.parseLong(each.getFileName().toString()));
        }
      }
    }
    return pids;
  }

  private static boolean isOf(long leader, Path process) {
    try {
      String text = Files.readString(process.resolve("stat"));
      String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
      return !fields[0].equals("Z") && Long.parseLong(fields[3]) == leader;
    } catch (IOException ended) {
      return false;
    }
  }

  private String commands() {
    try {
      var commands = new StringBuilder();
      for (long pid : session()) {
        Path line = Path.of("/proc/" + pid + "/cmdline");
        commands.append(Files.readString(line).replace('\0', ' ')).append("; ");
      }
      return commands.toString();
    } catch (IOException ended) {
      return ended.toString();
    }
  }
}
