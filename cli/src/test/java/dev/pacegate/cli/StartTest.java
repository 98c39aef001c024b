package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What would make the start of a short command several times as long, or its end. */
@Tag("slow")
class StartTest {

  @TempDir Path folder;

  @Test
  void pipeReadsNoAnnotationsAndAsksForNoLog() throws Exception {
    List<String> loaded = loadedBy("pipe", "-q", "--report", "1/1s");
    assertEquals(List.of(), of(loaded, ".$Proxy"));
    assertEquals(List.of(), of(loaded, "BootstrapLogger "));
  }

  @Test
  void runReadsNoAnnotations() throws Exception {
    assertEquals(List.of(), of(loadedBy("run", "-q", "1/1s", "--", "true"), ".$Proxy"));
  }

  private static List<String> of(List<String> loaded, String part) {
    return loaded.stream().filter(line -> line.contains(part)).toList();
  }

  private List<String> loadedBy(String... arguments) throws Exception {
    List<String> command = ProcessTest.java(Main.class, arguments);
    command.add(1, "-Xlog:class+load:file=" + folder.resolve("loaded"));
    Process process =
        new ProcessBuilder(command)
            .redirectInput(Files.writeString(folder.resolve("lines"), "1\n").toFile())
            .redirectOutput(new File("/dev/null"))
            .redirectError(new File("/dev/null"))
            .start();
    assertTrue(process.waitFor(120, TimeUnit.SECONDS), "it hangs");
    assertEquals(0, process.exitValue());
    List<String> loaded = Files.readAllLines(folder.resolve("loaded"));
    assertTrue(loaded.stream().anyMatch(line -> line.contains("dev.pacegate.cli.CommandOptions ")));
    return loaded;
  }
}
