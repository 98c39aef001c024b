package dev.pacegate.examples.recipes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** How a test of a program waits for a minute in no time. */
class WithoutSleepingTest {

  @Test
  void theEleventhWaitsForAMinuteAndTheMargin() {
    ManualTime time = ManualTime.manual();
    Limiter api = Limiter.builder("peer(10/1m)").time(time).executor(Runnable::run).build();
    for (int i = 0; i < 10; i++) {
      api.tryAcquire().orElseThrow().answered();
    }
    CompletableFuture<Permit> eleventh = api.acquireAsync();
    time.advance(Duration.ofSeconds(60));
    assertFalse(eleventh.isDone()); // peer adds a margin of 0.1% and 1 ms
    time.advance(Duration.ofMillis(61));
    assertTrue(eleventh.isDone());
  }

  @Test
  void waitingMovesTheClock() throws InterruptedException {
    ManualTime time = ManualTime.selfAdvancing(); // for a test with one thread
    Limiter api = Limiter.builder("10/1m").time(time).build();
    for (int i = 0; i < 25; i++) {
      api.run(() -> {});
    }
    assertEquals(Duration.ofMinutes(2), Duration.ofNanos(time.nanoTime()));
  }
}
