package dev.pacegate.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** On which threads messages are delivered, in real time. */
@Timeout(60)
class ThrottlerThreadsTest {

  private static final int MESSAGES = 50;

  private final Set<String> seen = ConcurrentHashMap.newKeySet(); // names of threads
  private final List<Integer> delivered = new CopyOnWriteArrayList<>();

  private void deliverAll(Executor executor) throws InterruptedException {
    Throttler<Integer> throttler =
        Throttler.<Integer>builder(Limiter.of("spacing(1ms)")).executor(executor).build();
    throttler.target(
        message -> {
          seen.add(Thread.currentThread().getName());
          delivered.add(message);
        });
    for (int i = 0; i < MESSAGES; i++) {
      throttler.send(i);
    }
    assertTrue(throttler.drain(Duration.ofSeconds(50)));
    assertEquals(delivered.stream().sorted().toList(), delivered);
    assertEquals(MESSAGES, delivered.size());
    assertFalse(seen.contains("pacegate-timer"), seen::toString);
  }

  @Test
  void anExecutorThatRunsTasksOnItsCallerDeliversNothingOnTheTimer() throws Exception {
    deliverAll(Runnable::run);
  }

  @Test
  void anExecutorThatRefusesDeliversNothingOnTheTimer() throws Exception {
    deliverAll(
        task -> {
          seen.add(Thread.currentThread().getName());
          throw new RejectedExecutionException("full, says a test");
        });
  }
}
