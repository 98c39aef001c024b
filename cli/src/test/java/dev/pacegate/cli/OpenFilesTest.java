package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A file that standard output or error goes to is not replaced, under whatever name. */
@DisabledOnOs(OS.WINDOWS)
class OpenFilesTest {

  @TempDir Path folder;

  /** What is read, and only read, may be replaced by what is left of it. */
  @Test
  @Timeout(60)
  void theInputMayBeReplaced() throws Exception {
    Path queue = Files.writeString(folder.resolve("queue"), "1\n2\n");
    String[] command = {"pipe", "-q", "1/1h", "--no-wait", "--rest=/dev/stdin"};
    Process process =
        new ProcessBuilder(ProcessTest.java(Main.class, command))
            .redirectInput(queue.toFile())
            .redirectOutput(folder.resolve("out").toFile())
            .redirectError(folder.resolve("err").toFile())
            .start();
    assertEquals(Status.LEFT, process.waitFor());
    assertEquals("2\n", Files.readString(queue));
  }

  @ParameterizedTest
  @CsvSource({
    "pipe, --report=, /dev/stdout",
    "pipe, --report=, /dev/fd/2",
    "pipe, --report=, out",
    "pipe, --rest=, /proc/self/fd/1",
    "pipe, --rest=, out",
    "pipe, --state=, /dev/stdout",
    "run, --joblog=, /dev/stdout",
    "run, --joblog=, err",
    "run, --report=, /dev/stderr"
  })
  @Timeout(60)
  void losesNothing(String verb, String option, String name) throws Exception {
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    String file = name.startsWith("/") ? name : folder.resolve(name).toString();
    var command = new ArrayList<>(List.of(verb, "-q", "9/1s", option + file));
    if (option.equals("--rest=")) {
      command.add("--no-wait");
    }
    if (verb.equals("run")) {
      command.addAll(List.of("--", "true"));
    }
    Files.writeString(out, "before\n");
    Process process =
        new ProcessBuilder(ProcessTest.java(Main.class, command.toArray(String[]::new)))
            .redirectOutput(ProcessBuilder.Redirect.appendTo(out.toFile()))
            .redirectError(err.toFile())
            .start();
    process.getOutputStream().close();
    assertEquals(Status.BAD, process.waitFor());
    assertEquals("before\n", Files.readString(out));
    String told = Files.readString(err);
    assertTrue(told.endsWith(file + " would spoil what is written there: it is open\n"), told);
  }
}
