package dev.pacegate.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import dev.pacegate.waiting.Crew;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class WaitLogTest {

  private final Limiter limiter = Limiter.of("concurrent(1)");
  private final PermitSource source =
      new PermitSource(
          limiter,
          Cost.ONE,
          WaitLogTest::noHost,
          WaitBound.each(Duration.ofMinutes(1)),
          new WaitLog());

  private static String noHost() {
    throw new IllegalStateException("the host is not known");
  }

  private void endWhenAnotherWaits(Permit permit) {
    Crew.awaitWaiting(limiter, 1);
    permit.close();
  }

  @Test
  void aRequestWhoseHostIsNotKnownWaitsWithoutALog() throws Exception {
    Permit held = limiter.acquire();
    CompletableFuture<Void> end = CompletableFuture.runAsync(() -> endWhenAnotherWaits(held));
    source.acquire().close();
    end.join();
    Permit first = limiter.acquire();
    CompletableFuture<Permit> next = source.acquireAsync();
    assertFalse(next.isDone());
    first.close();
    next.join().close();
    assertEquals(0, limiter.snapshot().open());
    assertEquals(0, limiter.snapshot().waiting());
  }
}
