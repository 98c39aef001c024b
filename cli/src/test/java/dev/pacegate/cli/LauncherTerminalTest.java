package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the launcher tells the program of the terminal, and the commands of the program. */
class LauncherTerminalTest {

  private static final List<String> TERMINAL = List.of("script", "-qec");

  @TempDir Path root;

  /** Returns how the launcher calls Java from a shell in a terminal. */
  private String java(String shell) throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "script is there");
    Path java = Files.createDirectories(root.resolve("home/bin")).resolve("java");
    Files.writeString(
        java, "#!/bin/sh\necho \"$* COLUMNS=${COLUMNS-unset}\" >\"" + root + "/call\"\n");
    assertTrue(java.toFile().setExecutable(true));
    Files.writeString(root.resolve("home/release"), "JAVA_VERSION=\"17\"\n");
    Files.createDirectories(root.resolve("cli/target/lib"));
    Files.writeString(root.resolve("cli/target/pacegate.jar"), "");
    Files.copy(Path.of("../pacegate"), root.resolve("pacegate"));
    assertTrue(root.resolve("pacegate").toFile().setExecutable(true));
    var command = new ProcessBuilder(new ArrayList<>(TERMINAL)).directory(root.toFile());
    command.command().addAll(List.of(shell, "/dev/null"));
    command.environment().remove("COLUMNS");
    command.environment().put("JAVA_HOME", root.resolve("home").toString());
    command.redirectErrorStream(true).redirectInput(Path.of("/dev/null").toFile());
    Process process = command.start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertEquals(0, process.waitFor(), said);
    return Files.readString(root.resolve("call"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ./pacegate run x            | both
          ./pacegate run x >out       | live
          ./pacegate run x >/dev/null | live
          './pacegate run x | cat'    | lines
          ./pacegate pipe x           | ''
          ./pacegate pipe x >out      | live
          ./pacegate pipe x >>out     | live
          './pacegate pipe x | cat'   | lines
          ./pacegate run x 2>out      | ''
          ./pacegate run x >out 2>out | ''
          """)
  void theScreenIsStandardErrorIfItIsATerminal(String shell, String screen) throws Exception {
    String called = java(shell);
    String option = screen.isEmpty() ? "" : "-Dpacegate.screen=" + screen;
    assertEquals(!screen.isEmpty(), called.contains("pacegate.screen"), called);
    assertTrue(called.contains(option), called);
  }

  /** Else a command such as ps would cut its lines. */
  @Test
  void theWidthIsTheProgramsAlone() throws Exception {
    String called = java("stty rows 50 cols 123; ./pacegate pipe x");
    assertTrue(called.contains("-Dpacegate.columns=123 "), called);
    assertTrue(called.endsWith(" COLUMNS=unset\n"), called);
  }

  @Test
  void aWidthThatIsSetIsNotAskedFor() throws Exception {
    assertEquals(70, Width.of(World.environment(Map.of("COLUMNS", "70"), "123")));
    assertEquals(123, Width.of(World.environment(Map.of("COLUMNS", ""), "123")));
    assertEquals(123, Width.of(World.environment(Map.of(), "123")));
    assertEquals(80, Width.of(World.environment(Map.of(), "0")));
  }
}
