package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A job in the background leaves the terminal to the shell. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class JobControlTest {

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          7 (java) S 1 7 5 34816 7 4194304    | true
          7 (java) S 1 7 5 34816 5 4194304    | false
          7 (a) S 9) b) S 1 7 5 34816 7 419   | true
          7 (a) S 9) b) S 1 7 5 34816 5 419   | false
          7 (java) S 1 7 5 0 -1 4194304       | true
          7 (java) S 1 7                      | true
          ''                                  | true
          """)
  void theGroupOfTheTerminalIsComparedWithThatOfTheProcess(String stat, boolean isForeground) {
    assertEquals(isForeground, JobControl.isForeground(stat));
  }

  /** Returns what a shell with job control runs in a terminal of its own. */
  private Process shell(String script) throws IOException {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "script is there");
    assumeTrue(Files.isReadable(Path.of("/proc/self/stat")), "/proc is there");
    List<String> java = ProcessTest.java(Main.class);
    java.add(1, "-Dpacegate.screen=live");
    String pacegate = "pacegate() { '" + String.join("' '", java) + "' \"$@\"; }\n";
    Files.writeString(folder.resolve("shell"), pacegate + script);
    var command =
        new ProcessBuilder("script", "-qec", "bash -m shell", "/dev/null")
            .directory(folder.toFile())
            .redirectErrorStream(true);
    command.environment().put("TERM", "xterm");
    return command.start();
  }

  /** Ends also what the shell has begun, which outlives its terminal. */
  private static void end(Process shell) {
    List<ProcessHandle> begun = shell.descendants().toList();
    shell.destroy();
    begun.forEach(ProcessHandle::destroyForcibly);
  }

  private static String upTo(String sign, BufferedReader terminal) throws IOException {
    var text = new StringBuilder();
    for (int c = terminal.read(); c != -1; c = terminal.read()) {
      text.append((char) c);
      if (text.indexOf(sign) != -1) {
        return text.toString();
      }
    }
    throw new AssertionError("there never was: " + sign + " in " + text);
  }

  /** The fourth line is written a second after progress would have been shown. */
  @Tag("slow")
  @Test
  void nothingIsDrawnInTheBackgroundUntilTheJobIsBroughtToTheForeground() throws Exception {
    Process shell =
        shell(
            """
            : >out
            yes | pacegate pipe -q 1/1s >out &
            until [ "$(wc -l <out)" -ge 4 ]; do sleep 0.1; done
            echo prompt
            fg >name
            """);
    try (BufferedReader terminal = shell.inputReader(UTF_8)) {
      assertEquals("prompt", upTo("prompt", terminal));
      assertTrue(upTo("lines in ", terminal).contains(LiveLine.ERASE));
    } finally {
      end(shell);
    }
  }

  /** The sign that a line is cut tells that the terminal has become too narrow for it. */
  @Tag("slow")
  @Test
  void aLineIsCutWhenTheTerminalHasBecomeNarrower() throws Exception {
    Process shell =
        shell(
            """
            stty cols 70
            (until [ -e narrow ]; do sleep 0.1; done; stty cols 30) &
            yes | head -n 60 | pacegate pipe -q 'peer(5/1s) & starts(100/1m)' >out
            """);
    try (BufferedReader terminal = shell.inputReader(UTF_8)) {
      String drawn = upTo("100/1m))", terminal);
      assertFalse(drawn.contains("…"), drawn);
      Files.createFile(folder.resolve("narrow"));
      String cut = upTo("…", terminal);
      String last = cut.substring(cut.lastIndexOf(LiveLine.ERASE) + LiveLine.ERASE.length());
      assertEquals(27, last.length(), last);
    } finally {
      end(shell);
    }
  }

  @Test
  void messagesAreWrittenBehindThePromptInTheBackground() {
    var session = Session.given("1\n");
    session.screen = World.Screen.LIVE;
    session.isForeground = false;
    String err = session.run("pipe", "1/1s").err();
    assertEquals("pacegate: limit peer(1/1s)\n", err);
  }
}
