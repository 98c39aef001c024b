package dev.pacegate.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What the originals do with a queue, and what they get wrong; for the actor see {@link
 * ActorThrottlerTest}.
 */
class SeedCasesThrottlerTest {

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration DAYS = Duration.ofDays(300);

  private final ManualTime time = ManualTime.manual();
  private final List<String> delivered = new ArrayList<>();
  private final List<String> dropped = new ArrayList<>();

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  private Throttler.Builder<String> builder(Limiter limiter) {
    return Throttler.<String>builder(limiter).executor(Runnable::run).onDrop(dropped::add);
  }

  private void deliver(String message) {
    delivered.add(message + "@" + time.nanoTime() / 1_000_000);
  }

  private static void sendAll(Throttler<String> throttler, String... messages)
      throws InterruptedException {
    for (String message : messages) {
      throttler.send(message);
    }
  }

  // ---- leaky bucket: queue of 2, outflow 10/s

  private Throttler<String> leakyBucket() {
    Throttler<String> bucket =
        builder(limiter("spacing(100ms)")).capacity(2).overflow(Overflow.DROP_NEWEST).build();
    bucket.target(this::deliver);
    return bucket;
  }

  @Test
  void aLeakyBucketDiscardsExactlyWhatComesOnTopOfItsQueue() throws InterruptedException {
    Throttler<String> bucket = leakyBucket();
    sendAll(bucket, "1"); // leaves at once
    sendAll(bucket, "2", "3");
    assertEquals(List.of(), dropped);
    assertFalse(bucket.send("4"));
    assertEquals(List.of("4"), dropped);
    time.advance(Duration.ofMillis(100));
    assertTrue(bucket.send("5"));
    assertFalse(bucket.send("6"));
    time.advance(SECOND);
    assertEquals(List.of("1@0", "2@100", "3@200", "5@300"), delivered);
  }

  @Test
  void aLeakyBucketGivesNoCreditForIdleness() throws InterruptedException {
    Throttler<String> bucket = leakyBucket();
    time.advance(Duration.ofHours(1));
    sendAll(bucket, "1", "2", "3");
    time.advance(Duration.ofHours(1));
    sendAll(bucket, "4", "5");
    time.advance(SECOND);
    assertEquals(
        List.of("1@3600000", "2@3600100", "3@3600200", "4@7200000", "5@7200100"), delivered);
  }

  @Test
  void aLeakyBucketLeaksNoFasterThanItsRateWhateverComes() throws InterruptedException {
    var audit = Audit.of(Limits.parse("spacing(100ms)"));
    Throttler<String> bucket = leakyBucket();
    bucket.target(message -> audit.add(time.nanoTime()));
    for (int i = 0; i < 1000; i++) {
      bucket.send("message");
      time.advance(Duration.ofMillis(i % 7 == 0 ? 1 : 33));
    }
    assertTrue(audit.verdict().kept(), audit.verdict().text());
    assertTrue(audit.report().count() > 250, audit.report().text());
  }

  // ---- X-9: one per 300 days

  @Test
  void theSecondOfOnePer300DaysWaitsSoLong() throws InterruptedException {
    Throttler<String> throttler = builder(limiter("1/" + DAYS.toHours() + "h")).build();
    throttler.target(this::deliver);
    sendAll(throttler, "1", "2");
    time.advance(DAYS.minusNanos(1));
    assertEquals(List.of("1@0"), delivered);
    time.advanceNanos(1);
    assertEquals(List.of("1@0", "2@" + DAYS.toMillis()), delivered);
  }

  @Test
  void aMessageThatWaits300DaysCanBeTakenBack() throws InterruptedException {
    Limiter limiter = limiter("1/" + DAYS.toHours() + "h");
    Throttler<String> throttler = builder(limiter).build();
    throttler.target(this::deliver);
    sendAll(throttler, "1", "2");
    throttler.close();
    assertEquals(List.of("2"), throttler.undelivered());
    time.advance(DAYS);
    assertEquals(1, limiter.snapshot().granted());
    assertEquals(0, time.pending(), "no timer is left");
  }

  @Test
  void theRealTimerTakes300DaysToo() throws InterruptedException {
    Limiter limiter = Limiter.of("1/" + DAYS.toHours() + "h");
    Throttler<String> throttler = Throttler.<String>builder(limiter).build();
    throttler.target(message -> {});
    sendAll(throttler, "1", "2");
    Rig.await(
        "the second waits",
        () -> limiter.snapshot().granted() == 1 && limiter.snapshot().waiting() == 1);
    assertFalse(throttler.drain(Duration.ofMillis(50))); // real time: nothing fails, nothing comes
    assertEquals(1, limiter.snapshot().granted());
    assertEquals(1, limiter.snapshot().waiting());
    throttler.close();
    assertEquals(List.of("2"), throttler.undelivered());
    assertEquals(0, limiter.snapshot().waiting());
  }

  // ---- X-13: a thousand in a second, endless supply

  @Test
  void aThousandInASecondAreAThousandInASecond() throws InterruptedException {
    for (int burst : new int[] {1, 5}) {
      String limit = "bucket(1000/1s, burst=" + burst + ")";
      ManualTime clock = ManualTime.manual();
      Limiter limiter = Limiter.builder(limit).time(clock).executor(Runnable::run).build();
      Throttler<Integer> throttler =
          Throttler.<Integer>builder(limiter).executor(Runnable::run).capacity(20_000).build();
      var audit = Audit.of(Limits.parse(limit));
      throttler.target(message -> audit.add(clock.nanoTime()));
      for (int i = 0; i < 15_000; i++) {
        throttler.send(i);
      }
      clock.advance(Duration.ofSeconds(10));
      long count = audit.report().count();
      assertTrue(audit.verdict().kept(), audit.verdict().text());
      assertTrue(count >= 10_000 && count <= 10_000 + burst, limit + ": " + count);
    }
  }
}
