package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pacegate.time.ManualTime;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the demonstration says while a busy machine makes it wait. */
class DemoWaitTest {

  private final ManualTime time = ManualTime.selfAdvancing();
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  private DemoWait waiting(boolean goesOn) {
    return new DemoWait(time, new Output(said), () -> goesOn);
  }

  private boolean isAfter(Duration span) {
    return time.nanoTime() >= span.toNanos();
  }

  @Test
  void aShortWaitIsNotTold() throws Exception {
    waiting(true).until(() -> "sender 1 to send", () -> isAfter(Duration.ofSeconds(1)));
    assertEquals("", said.toString(UTF_8));
  }

  @Test
  void aLongWaitIsToldAgainAndAgainAndEndsWell() throws Exception {
    waiting(true).until(() -> "sender 1 to send", () -> isAfter(Duration.ofMinutes(9)));
    List<String> lines = said.toString(UTF_8).lines().distinct().toList();
    assertEquals(List.of("waiting for sender 1 to send"), lines);
    assertEquals(108, said.toString(UTF_8).lines().count());
  }

  @Test
  void aWaitForEverIsGivenUpWithTheReason() {
    DemoWait wait = waiting(true);
    var failure =
        assertThrows(Failure.class, () -> wait.until(() -> "sender 1 to send", () -> false));
    assertEquals("waited for 10 minutes for sender 1 to send", failure.getMessage());
  }

  @Test
  void theEndOfAProcessEndsTheWaitAtOnce() {
    DemoWait wait = waiting(false);
    var failure = assertThrows(Failure.class, () -> wait.until(() -> "the server", () -> false));
    assertEquals(
        "a process of the demonstration ended while this waited for the server",
        failure.getMessage());
    assertEquals(0, time.nanoTime());
  }
}
