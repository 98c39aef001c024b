package dev.pacegate.benchmarks.servers;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** With a program that does nothing in place of a server. */
@Timeout(60)
class ServerTest {

  @TempDir Path folder;

  private Process idle() throws IOException {
    return Server.start(folder.resolve("output"), List.of("sleep", "60"));
  }

  @Test
  void isStoppedForATimeAndEnds() throws Exception {
    Process process = idle();
    try (var server = new Server(process, 1, Map.of())) {
      Duration stopped = server.pause(Duration.ofMillis(20));
      assertTrue(stopped.toMillis() >= 20, stopped::toString);
      assertTrue(process.isAlive());
    }
    process.waitFor();
    assertFalse(process.isAlive());
  }

  @Test
  void aProcessThatHasEndedCannotBeStopped() throws Exception {
    Process process = idle();
    try (var server = new Server(process, 1, Map.of())) {
      process.destroyForcibly().waitFor();
      assertThrows(IOException.class, () -> server.pause(Duration.ZERO));
    }
  }

  @Test
  void aServerThatCannotBeStartedIsNamed() {
    var node = new NodeServers(folder);
    var failure = assertThrows(IOException.class, () -> node.script("absent.js").launch(folder));
    assertTrue(failure.getMessage().contains("node"), failure::getMessage);
  }
}
