package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What the shell script sees to before Java runs, and the options that it gives to it. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class LauncherTest {

  private static final Path LAUNCHER = Path.of("..", "pacegate").toAbsolutePath().normalize();

  @TempDir Path folder;

  /** Java would end with a trace and with 1, which means a broken limit. Shells may add a line. */
  @Test
  void aWorkingDirectoryThatIsGoneIsToldInOneLine() throws Exception {
    Path gone = Files.createDirectory(folder.resolve("gone"));
    String script = "cd \"$1\" && rmdir \"$1\" && exec \"$2\" pipe 5/1s";
    Process process =
        new ProcessBuilder("sh", "-c", script, "sh", gone.toString(), LAUNCHER.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    List<String> lines = said.lines().filter(line -> !line.contains("getcwd()")).toList();
    assertEquals(List.of("pacegate: the working directory is gone"), lines);
    assertEquals(Status.BAD, process.waitFor());
  }

  /** The JVM keeps this signal for itself; what it prints must not get among the lines. */
  @Test
  void aQuitSignalPrintsThreadsOnStandardErrorAndGoesOn() throws Exception {
    List<String> command = List.of(installed().toString(), "pipe", "-q", "unlimited");
    Path err = folder.resolve("err");
    Process process = new ProcessBuilder(command).redirectError(err.toFile()).start();
    try (var in = process.outputWriter(UTF_8);
        BufferedReader out = process.inputReader(UTF_8)) {
      in.append("1\n").flush();
      assertEquals("1", out.readLine());
      new ProcessBuilder("kill", "-QUIT", "" + process.pid()).start().waitFor();
      while (!Files.readString(err).contains("Full thread dump")) {
        Thread.sleep(10); // another process writes it
      }
      in.append("2\n").flush();
      assertEquals("2", out.readLine());
      in.close();
      assertEquals(Status.OK, process.waitFor());
    } finally {
      process.destroyForcibly();
    }
  }

  /** Returns the launcher beside a runtime that runs these classes, with the options it gets. */
  private Path installed() throws Exception {
    List<String> java = ProcessTest.java(Main.class);
    String quoted = java.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
    String script =
        """
        #!/bin/sh
        shift # the archive, which there is none of
        options=
        while [ "$1" != -cp ]; do
          case $1 in -Xlog:aot*) ;; *) options="$options $1" ;; esac # before 24 it is unknown
          shift
        done
        shift 3 # the jar and its class
        JAVA_TOOL_OPTIONS=$options exec %s "$@"
        """;
    Path runtime = Files.createDirectories(folder.resolve("runtime/bin")).resolve("java");
    Files.writeString(runtime, script.formatted(quoted));
    Path launcher = Files.copy(LAUNCHER, folder.resolve("pacegate"));
    for (Path program : List.of(runtime, launcher)) {
      assertTrue(program.toFile().setExecutable(true));
    }
    return launcher;
  }
}
