package dev.pacegate.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** A limiter that is closed, full, changed or shared costs no message. */
class ThrottlerLimiterTest extends ThrottlersOnManualTime {

  @Test
  void aClosedLimiterClosesTheThrottlerAndLosesNothing() throws Exception {
    Limiter limiter = limiter("1/1s");
    Throttler<String> throttler = direct(limiter).build();
    throttler.target(delivered::add);
    sendAll(throttler, "1", "2", "3");
    limiter.close();
    assertFalse(throttler.drain(Rig.PATIENCE), "at once");
    assertThrows(IllegalStateException.class, () -> throttler.send("4"));
    assertEquals(List.of("1"), delivered);
    assertEquals(List.of("2", "3"), throttler.undelivered());
  }

  @Test
  void aLimiterClosedByTheTargetLosesNothing() throws Exception {
    Limiter limiter = limiter("unlimited");
    Throttler<String> throttler = direct(limiter).build();
    sendAll(throttler, "1", "2", "3");
    throttler.target(
        message -> {
          delivered.add(message);
          limiter.close();
        });
    assertFalse(throttler.drain(Rig.PATIENCE));
    assertEquals(List.of("1"), delivered);
    assertEquals(List.of("2", "3"), throttler.undelivered());
  }

  @Test
  void aLineThatIsFullIsTriedAgain() throws Exception {
    Limiter limiter = Limiter.builder("1/1s").time(time).maxWaiting(1).build();
    limiter.tryAcquire().orElseThrow().answered();
    CompletableFuture<Permit> other = limiter.acquireAsync();
    Throttler<String> throttler = pooled(limiter).build();
    throttler.target(delivered::add);
    sendAll(throttler, "1", "2");
    assertTrue(other.cancel(false));
    Rig.await("a place in the queue", () -> limiter.snapshot().waiting() == 1);
    time.advance(SECOND);
    Rig.await("the first", () -> delivered.size() == 1);
    Rig.await("a place in the queue", () -> limiter.snapshot().waiting() == 1);
    time.advance(SECOND);
    assertTrue(throttler.drain(Rig.PATIENCE));
    assertEquals(List.of("1", "2"), delivered);
    assertEquals(List.of(), failed);
  }

  @Test
  void aLimiterThatLetsNoCallerWaitIsAskedAgain() throws Exception {
    Limiter limiter = Limiter.builder("2/1s").time(time).maxWaiting(0).build();
    Throttler<String> throttler = pooled(limiter).build();
    throttler.target(delivered::add);
    sendAll(throttler, "1", "2", "3");
    Rig.await("the first two", () -> delivered.size() == 2);
    time.advance(SECOND);
    assertTrue(throttler.drain(Rig.PATIENCE));
    assertEquals(List.of("1", "2", "3"), delivered);
    assertEquals(List.of(), failed);
  }

  /** The executor is called for nothing but to take the permit. */
  @Test
  void aLimiterThatLetsNoCallerWaitIsAskedWhateverTheExecutorDoes() throws Exception {
    Limiter limiter = Limiter.builder("2/1s").time(time).maxWaiting(0).build();
    Throttler<String> throttler =
        Throttler.<String>builder(limiter)
            .executor(
                work -> {
                  throw new RejectedExecutionException("thrown by a test");
                })
            .build();
    throttler.target(delivered::add);
    sendAll(throttler, "1", "2");
    assertTrue(throttler.drain(Rig.PATIENCE));
    assertEquals(List.of("1", "2"), delivered);
  }

  @Test
  void anErrorWhileAskingForAPermitStopsNothing() throws Exception {
    var clock = new Rig.BrokenTime();
    Throttler<String> throttler =
        direct(Limiter.builder("unlimited").time(clock).executor(Runnable::run).build()).build();
    throttler.target(delivered::add);
    clock.broken = true;
    assertThrows(IllegalStateException.class, () -> throttler.send("1"));
    clock.broken = false;
    sendAll(throttler, "2");
    assertEquals(List.of("1", "2"), delivered);
  }

  @Test
  void aThrottlerClosedBeforeItTriesAgainStaysSo() throws Exception {
    Limiter limiter = Limiter.builder("1/1s").time(time).maxWaiting(0).build();
    limiter.tryAcquire().orElseThrow().answered();
    Throttler<String> throttler = pooled(limiter).build();
    throttler.target(delivered::add);
    sendAll(throttler, "1");
    throttler.close();
    assertEquals(List.of("1"), throttler.undelivered());
  }

  @Test
  void anotherLimitTakesEffectAtOnce() throws Exception {
    Limiter limiter = limiter("1/1h");
    Throttler<String> throttler = direct(limiter).build();
    throttler.target(message -> delivered.add(message + "@" + time.nanoTime() / 1_000_000));
    sendAll(throttler, "1", "2", "3", "4");
    time.advance(SECOND);
    limiter.setLimit("spacing(500ms)");
    time.advance(SECOND);
    assertEquals(List.of("1@0", "2@1000", "3@1500", "4@2000"), delivered);
  }

  @Test
  void throttlersOnOneLimiterShareIt() throws Exception {
    Limiter limiter = limiter("spacing(100ms)");
    Throttler<String> one = direct(limiter).build();
    Throttler<String> other = direct(limiter).build();
    one.target(message -> delivered.add(message + "@" + time.nanoTime() / 1_000_000));
    other.target(message -> delivered.add(message + "@" + time.nanoTime() / 1_000_000));
    sendAll(one, "a1", "a2", "a3");
    sendAll(other, "b1", "b2", "b3");
    time.advance(SECOND);
    assertEquals(List.of("a1@0", "a2@100", "b1@200", "a3@300", "b2@400", "b3@500"), delivered);
    Rig.assertIdle(limiter);
  }

  @Test
  void anExecutorThatRejectsLosesNothing() throws Exception {
    Executor rejects =
        task -> {
          throw new RejectedExecutionException("shut down");
        };
    Throttler<String> throttler = pooled(Limiter.of("unlimited")).executor(rejects).build();
    throttler.target(delivered::add);
    sendAll(throttler, "1", "2");
    assertTrue(throttler.drain(Rig.PATIENCE));
    assertEquals(List.of("1", "2"), delivered);
  }

  @Test
  void takingOutWhatWaitsGivesUpThePlaceInLine() throws Exception {
    Limiter limiter = limiter("1/1s");
    Throttler<String> throttler = direct(limiter).build();
    throttler.target(delivered::add);
    sendAll(throttler, "1", "2");
    assertEquals(1, limiter.snapshot().waiting());
    assertEquals(List.of("2"), throttler.undelivered());
    assertEquals(0, limiter.snapshot().waiting());
    time.advance(SECOND);
    assertEquals(1, limiter.snapshot().granted());
  }

  /** Given up by another while it was about to be taken. */
  @Test
  void aPlaceThatWasGivenUpWhileItWasTakenIsLeft() throws Exception {
    Limiter limiter = limiter("1/1s");
    var work = new ArrayList<Runnable>();
    Executor late =
        task -> {
          shared.target(null); // the queue has been joined, and who joins it does not know yet
          work.add(task);
        };
    shared = pooled(limiter).executor(late).build();
    sendAll(shared, "1");
    shared.target(delivered::add);
    assertEquals(1, work.size());
    assertEquals(0, limiter.snapshot().waiting());
    work.forEach(Runnable::run);
    assertEquals(List.of("1"), shared.undelivered());
    assertEquals(0, limiter.snapshot().granted());
  }
}
