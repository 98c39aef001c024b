package dev.pacegate.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.Permit;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads that wait on when they are interrupted. */
@Timeout(120)
class UninterruptibleTest {

  private final ManualTime time = ManualTime.manual();
  private final Limiter limiter =
      Limiter.builder("1/1s").time(time).executor(Runnable::run).stamped(true).build();
  private final AtomicBoolean interruptedAfter = new AtomicBoolean();

  @AfterEach
  void leaveNoInterrupt() {
    assertFalse(Thread.interrupted());
  }

  private CompletableFuture<Permit> asking(Runnable first) {
    var result = new CompletableFuture<Permit>();
    Crew.start(
        "asking",
        () -> {
          try {
            first.run();
            Permit permit = limiter.acquireUninterruptibly();
            interruptedAfter.set(Thread.currentThread().isInterrupted());
            result.complete(permit);
          } catch (Throwable failure) {
            interruptedAfter.set(Thread.currentThread().isInterrupted());
            result.completeExceptionally(failure);
          }
        });
    return result;
  }

  private final CompletableFuture<Thread> thread = new CompletableFuture<>();

  private void tellThread() {
    thread.complete(Thread.currentThread());
  }

  @Test
  void aThreadThatIsInterruptedBeforeStillGetsAPermitAndStaysInterrupted() {
    Thread.currentThread().interrupt();
    Permit permit = limiter.acquireUninterruptibly();
    assertEquals(Duration.ZERO, permit.waited());
    assertTrue(Thread.interrupted());
  }

  @Test
  void anInterruptLosesNeitherThePlaceNorAPermit() {
    Crew.spend(limiter);
    CompletableFuture<Permit> first = asking(this::tellThread);
    Crew.awaitWaiting(limiter, 1);
    CompletableFuture<Permit> second = limiter.acquireAsync();
    for (int i = 0; i < 5; i++) {
      thread.join().interrupt();
      Crew.await("the interrupt is taken", () -> !thread.join().isInterrupted());
    }
    assertEquals(2, limiter.snapshot().waiting());

    Crew.await("an appointment", () -> time.pending() > 0);
    time.advance(Duration.ofSeconds(1));
    assertEquals(1_000_000_000, first.join().releasedAt());
    assertTrue(interruptedAfter.get());
    assertFalse(second.isDone());
    time.advance(Duration.ofSeconds(1));
    assertEquals(2_000_000_000, second.join().releasedAt());
    assertEquals(0, limiter.snapshot().cancelled());
    assertEquals(3, limiter.snapshot().granted());
  }

  @Test
  void aThreadThatIsInterruptedBeforeAndHasToWaitStaysInterrupted() {
    Crew.spend(limiter);
    CompletableFuture<Permit> first = asking(() -> Thread.currentThread().interrupt());
    Crew.awaitWaiting(limiter, 1);
    Crew.await("an appointment", () -> time.pending() > 0);
    time.advance(Duration.ofSeconds(1));
    assertEquals(Duration.ofSeconds(1), first.join().waited());
    assertTrue(interruptedAfter.get());
  }

  @Test
  void closingTurnsItAwayInterruptedAsItIs() {
    Crew.spend(limiter);
    CompletableFuture<Permit> first = asking(this::tellThread);
    Crew.awaitWaiting(limiter, 1);
    thread.join().interrupt();
    Crew.await("the interrupt is taken", () -> !thread.join().isInterrupted());
    limiter.close();
    var refused = assertThrows(CompletionException.class, first::join);
    assertInstanceOf(LimiterClosedException.class, refused.getCause());
    assertTrue(interruptedAfter.get());
  }

  @Test
  void withoutAnInterruptThereIsNone() {
    limiter.acquireUninterruptibly(1);
    assertFalse(Thread.currentThread().isInterrupted());
  }
}
