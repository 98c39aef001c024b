package dev.pacegate.dispatch;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Cost;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A full queue: who waits for room goes on, and each policy begins exactly at the bound. */
class ThrottlerCapacityTest extends ThrottlersOnManualTime {

  /** Sends on a thread of its own, and returns once that waits for room. */
  private static CompletableFuture<Throwable> blocked(Throttler<String> full, String message) {
    var outcome = new CompletableFuture<Throwable>();
    Thread sender =
        Rig.start(
            () -> {
              try {
                full.send(message);
                outcome.complete(new AssertionError("sent"));
              } catch (Throwable failure) {
                outcome.complete(failure);
              }
            });
    Rig.await("a sender that waits", () -> sender.getState() == Thread.State.WAITING);
    return outcome;
  }

  private static boolean isSent(CompletableFuture<Throwable> sender) throws Exception {
    return "sent".equals(sender.get(10, SECONDS).getMessage());
  }

  @Test
  void aBlockedSenderGoesOnWhenAMessageIsDelivered() throws Exception {
    Throttler<String> throttler = direct(limiter("1/1s")).capacity(2).build();
    sendAll(throttler, "1", "2");
    CompletableFuture<Throwable> third = blocked(throttler, "3");
    assertEquals(2, throttler.queued());
    throttler.target(delivered::add);
    assertTrue(isSent(third));
    assertEquals(2, throttler.queued());
    time.advance(SECOND);
    time.advance(SECOND);
    assertEquals(List.of("1", "2", "3"), delivered);
  }

  @Test
  void aBlockedSenderGoesOnWhenTheQueueIsTakenOut() throws Exception {
    Throttler<String> throttler = direct(limiter("1/1s")).capacity(1).build();
    sendAll(throttler, "1");
    CompletableFuture<Throwable> second = blocked(throttler, "2");
    assertEquals(List.of("1"), throttler.undelivered());
    assertTrue(isSent(second));
    assertEquals(List.of("2"), throttler.undelivered());
  }

  @Test
  void aBlockedSenderGoesOnWhenAMessageCanNeverPass() throws Exception {
    Limiter limiter = limiter("1/1s");
    Throttler<String> throttler =
        direct(limiter).capacity(1).cost(m -> Cost.of(m.length())).build();
    sendAll(throttler, "never");
    CompletableFuture<Throwable> second = blocked(throttler, "2");
    throttler.target(delivered::add);
    assertTrue(isSent(second));
    Rig.await("the second", () -> delivered.equals(List.of("2")));
  }

  @Test
  void aBlockedSenderMayBeInterrupted() throws Exception {
    Throttler<String> throttler = direct(limiter("1/1s")).capacity(1).build();
    sendAll(throttler, "1");
    var outcome = new CompletableFuture<Throwable>();
    Thread sender =
        Rig.start(
            () -> {
              try {
                throttler.send("2");
              } catch (InterruptedException interrupted) {
                outcome.complete(interrupted);
              }
            });
    Rig.await("a sender that waits", () -> sender.getState() == Thread.State.WAITING);
    sender.interrupt();
    assertInstanceOf(InterruptedException.class, outcome.get(10, SECONDS));
    assertEquals(List.of("1"), throttler.undelivered());
  }

  @Test
  void aBlockedSenderIsTurnedAwayByTheEnd() throws Exception {
    Throttler<String> throttler = direct(limiter("1/1s")).capacity(1).build();
    sendAll(throttler, "1");
    CompletableFuture<Throwable> second = blocked(throttler, "2");
    throttler.close();
    assertInstanceOf(IllegalStateException.class, second.get(10, SECONDS));
    assertEquals(List.of("1"), throttler.undelivered());
  }

  @Test
  void eachPolicyBeginsExactlyAtTheBound() throws Exception {
    for (Overflow overflow : Overflow.values()) {
      Throttler<String> throttler =
          direct(limiter("unlimited")).capacity(3).overflow(overflow).build();
      sendAll(throttler, "1", "2", "3");
      assertEquals(List.of(), dropped, overflow.name());
      assertFalse(throttler.offer("4"));
      assertEquals(List.of("1", "2", "3"), throttler.undelivered(), overflow.name());
    }
  }

  @Test
  void aTargetThatSendsToItsOwnFullQueueIsRejected() throws Exception {
    Throttler<String> throttler = pooled(limiter("unlimited")).capacity(2).build();
    sendAll(throttler, "1", "2");
    throttler.target(
        message -> {
          delivered.add(message);
          if (message.equals("1")) {
            try {
              throttler.send("3");
              throttler.send("4");
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
          }
        });
    assertTrue(throttler.drain(Rig.PATIENCE));
    assertEquals(List.of("1", "2", "3"), delivered);
    assertEquals(List.of("1 " + QueueFullException.class), failed);
  }
}
