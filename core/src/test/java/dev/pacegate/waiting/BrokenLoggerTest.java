package dev.pacegate.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A log that fails, as one whose classes cannot be loaded, holds up no waiter. */
class BrokenLoggerTest {

  /** Fails at each message. */
  private static final class Broken extends Handler {
    private int messages;

    @Override
    public void publish(LogRecord message) {
      messages++;
      throw new NoClassDefFoundError("a class of the log");
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  private final Logger logger = Logger.getLogger("dev.pacegate");
  private final Broken broken = new Broken();
  private final ManualTime time = ManualTime.manual();
  private final Limiter limiter =
      Limiter.builder("peer(1/1s, unanswered=2s)").time(time).executor(Runnable::run).build();

  @BeforeEach
  void breakTheLog() {
    logger.addHandler(broken);
  }

  @AfterEach
  void mendTheLog() {
    logger.removeHandler(broken);
  }

  @Test
  void aWaiterGoesThoughTheWarningBeforeItFails() {
    limiter.tryAcquire().orElseThrow().lost();
    CompletableFuture<Permit> waits = limiter.acquireAsync(); // all is spent by what was lost
    assertTrue(broken.messages > 0);
    time.advance(Duration.ofSeconds(3));
    assertFalse(waits.isDone());
    time.advance(Duration.ofSeconds(1));
    waits.join().answered();
    assertEquals(0, limiter.snapshot().waiting());
  }
}
