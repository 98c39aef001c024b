package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
    assertTrue(Files.readString(LAUNCHER).contains(" -XX:+DisplayVMOutputToStderr"));
    List<String> command = ProcessTest.java(Main.class, "pipe", "-q", "unlimited");
    command.add(1, "-XX:+DisplayVMOutputToStderr");
    Path err = folder.resolve("err");
    Process process = new ProcessBuilder(command).redirectError(err.toFile()).start();
    try (var in = process.outputWriter(UTF_8);
        BufferedReader out = process.inputReader(UTF_8)) {
      in.append("1\n").flush();
      assertEquals("1", out.readLine());
      new ProcessBuilder("kill", "-QUIT", "" + process.pid()).start().waitFor();
      while (!Files.readString(err).contains("JNI global refs")) {
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
}
