package dev.pacegate.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.Limiter;
import dev.pacegate.limit.Cost;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Costs that cannot be told, or can never pass, hold up nothing. */
class ThrottlerCostTest extends ThrottlersOnManualTime {

  @Test
  void aCostThatCannotBeToldIsTheSendersFailure() throws Exception {
    Throttler<String> throttler =
        direct(limiter("unlimited")).cost(message -> Cost.of(Integer.parseInt(message))).build();
    throttler.target(delivered::add);
    assertThrows(NumberFormatException.class, () -> throttler.send("many"));
    assertThrows(NumberFormatException.class, () -> throttler.offer("many"));
    sendAll(throttler, "1");
    assertEquals(List.of("1"), delivered);
    assertEquals(0, throttler.queued());
  }

  @Test
  @SuppressWarnings("NullAway") // null is what is tested
  void noCostIsTheSendersFailure() throws Exception {
    Throttler<String> throttler = direct(limiter("unlimited")).cost(message -> null).build();
    assertThrows(NullPointerException.class, () -> throttler.send("1"));
    assertEquals(0, throttler.queued());
  }

  /** A sum of costs is no cost of one message. */
  @Test
  void aSumOfCostsIsTheSendersFailure() throws Exception {
    Throttler<String> throttler =
        direct(limiter("unlimited"))
            .cost(message -> message.equals("two") ? Cost.ONE.plus(Cost.ONE) : Cost.ONE)
            .build();
    throttler.target(delivered::add);
    assertThrows(IllegalArgumentException.class, () -> throttler.send("two"));
    assertThrows(IllegalArgumentException.class, () -> throttler.offer("two"));
    sendAll(throttler, "1");
    assertEquals(List.of("1"), delivered);
    assertEquals(0, throttler.queued());
  }

  @Test
  void aCostThatNoLimitCountsIsTheSendersFailure() throws Exception {
    Throttler<String> throttler =
        direct(limiter("spacing(1s)")).cost(m -> Cost.of(m.length())).build();
    throttler.target(delivered::add);
    assertThrows(IllegalArgumentException.class, () -> throttler.send("three"));
    assertThrows(IllegalArgumentException.class, () -> throttler.offer("three"));
    sendAll(throttler, "1");
    assertEquals(List.of("1"), delivered);
    assertEquals(0, throttler.queued());
  }

  /** A dry run takes any cost, so its end may find one in the queue. */
  @Test
  void aCostThatIsNotCountedAnyMoreHoldsUpNothing() throws Exception {
    Limiter limiter = limiter("concurrent(1)");
    limiter.dryRun(true);
    Throttler<String> throttler = direct(limiter).cost(m -> Cost.of(m.length())).build();
    sendAll(throttler, "three", "1", "three", "three", "2");
    limiter.dryRun(false);
    throttler.target(delivered::add);
    assertEquals(List.of("1", "2"), delivered);
    String uncounted = "three " + IllegalArgumentException.class;
    assertEquals(List.of(uncounted, uncounted, uncounted), failed);
    assertTrue(throttler.drain(Duration.ZERO));
    Rig.assertIdle(limiter);
  }

  @Test
  void aQueuedCostThatIsNotCountedAfterAChangeIsDelivered() throws Exception {
    Limiter limiter = limiter("10/1s");
    Throttler<String> throttler = direct(limiter).cost(m -> Cost.of(m.length())).build();
    sendAll(throttler, "three", "1");
    limiter.setLimit("concurrent(1)");
    throttler.target(delivered::add);
    assertEquals(List.of("three", "1"), delivered);
  }

  @Test
  void anOversizedMessageHoldsUpNothing() throws Exception {
    Limiter limiter = limiter("3/1s");
    Throttler<String> throttler = direct(limiter).cost(m -> Cost.of(m.length())).build();
    sendAll(throttler, "a", "never", "b", "never", "never", "c");
    throttler.target(delivered::add);
    assertEquals(List.of("a", "b", "c"), delivered);
    String never = "never " + CostTooLargeException.class;
    assertEquals(List.of(never, never, never), failed);
    assertTrue(throttler.drain(Duration.ZERO));
    Rig.assertIdle(limiter);
  }

  @Test
  void aDroppedFirstMessageOfAnotherCostGivesUpItsPlace() throws Exception {
    Limiter limiter = limiter("10/1s");
    Throttler<String> throttler =
        direct(limiter)
            .cost(m -> Cost.of(m.length()))
            .capacity(1)
            .overflow(Overflow.DROP_OLDEST)
            .build();
    throttler.target(delivered::add);
    sendAll(throttler, "0123456789", "ten chars.", "one");
    time.advance(SECOND);
    assertEquals(List.of("0123456789", "one"), delivered);
    assertEquals(2, limiter.snapshot().granted(), "no permit is taken in vain");
    assertEquals(7, free(limiter));
  }

  @Test
  void manyThatCanNeverPassNeedNoStack() throws Exception {
    Throttler<String> throttler =
        direct(limiter("1/1s"))
            .cost(m -> Cost.of(2))
            .capacity(50_000)
            .onFailure((message, failure) -> {})
            .build();
    for (int i = 0; i < 50_000; i++) {
      throttler.send("never");
    }
    throttler.target(delivered::add);
    assertTrue(throttler.drain(Duration.ZERO));
  }

  @Test
  void manyOnTheSendersOwnThreadNeedNoStack() throws Exception {
    for (String limit : List.of("unlimited", "concurrent(1)", "bucket(1000000000/1s)")) {
      var count = new AtomicInteger();
      Throttler<String> throttler = direct(Limiter.of(limit)).capacity(200_000).build();
      for (int i = 0; i < 200_000; i++) {
        throttler.send("message");
      }
      throttler.target(message -> count.incrementAndGet());
      assertTrue(throttler.drain(Rig.PATIENCE));
      assertEquals(200_000, count.get(), limit);
    }
  }
}
