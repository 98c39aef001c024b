package dev.pacegate.cli;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The width of a terminal is what a command says, if it says anything. */
@DisabledOnOs(OS.WINDOWS) // which has other commands
@Timeout(60)
class LiveWidthTest {

  private static final File NONE = new File("/dev/null");

  @Test
  void isWhatTheCommandSays() {
    assertEquals(123, new LiveWidth(80, NONE, Duration.ofSeconds(50), "echo", "24 123").getAsInt());
  }

  @Test
  void staysAsItWasIfTheCommandFails() {
    Duration longest = Duration.ofSeconds(50);
    assertEquals(77, new LiveWidth(77, NONE, longest, "false").getAsInt());
    assertEquals(77, new LiveWidth(77, NONE, longest, "/no/such/command").getAsInt());
  }

  @Test
  void aCommandThatNeverEndsIsEnded() throws Exception {
    String seconds = "7654321"; // as no other command here
    var width = new LiveWidth(77, NONE, Duration.ofMillis(50), "sleep", seconds);
    assertEquals(77, width.getAsInt());
    List<ProcessHandle> left =
        ProcessHandle.current()
            .children()
            .filter(child -> child.info().commandLine().orElse("").contains(seconds))
            .toList();
    for (ProcessHandle sleeping : left) {
      sleeping.onExit().get(20, SECONDS); // killed, but perhaps not gone yet
    }
  }
}
