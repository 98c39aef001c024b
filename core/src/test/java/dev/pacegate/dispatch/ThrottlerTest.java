package dev.pacegate.dispatch;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ThrottlerTest {

  private final ManualTime time = ManualTime.manual();
  private final List<String> delivered = new ArrayList<>();
  private final List<String> dropped = new ArrayList<>();

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  private Throttler.Builder<String> builder(Limiter limiter) {
    return Throttler.<String>builder(limiter).executor(Runnable::run).onDrop(dropped::add);
  }

  private void sendAll(Throttler<String> throttler, String... messages)
      throws InterruptedException {
    for (String message : messages) {
      throttler.send(message);
    }
  }

  private void deliver(String message) {
    delivered.add(message + "@" + time.nanoTime() / 1_000_000);
  }

  @Test
  void deliversInOrderAsTheLimitAllows() throws InterruptedException {
    Throttler<String> throttler = builder(limiter("3/1s")).build();
    throttler.target(this::deliver);
    sendAll(throttler, "1", "2", "3", "4", "5", "6", "7");
    assertEquals(List.of("1@0", "2@0", "3@0"), delivered);
    time.advance(Duration.ofSeconds(5));
    assertEquals(List.of("1@0", "2@0", "3@0", "4@1000", "5@1000", "6@1000", "7@2000"), delivered);
  }

  @Test
  void messagesAreKeptUntilThereIsATarget() throws InterruptedException {
    Limiter limiter = limiter("3/1s");
    Throttler<String> throttler = builder(limiter).build();
    sendAll(throttler, "1", "2");
    time.advance(Duration.ofSeconds(10));
    assertEquals(2, throttler.queued());
    assertEquals(0, limiter.snapshot().granted());
    throttler.target(this::deliver);
    assertEquals(List.of("1@10000", "2@10000"), delivered);
  }

  @Test
  void takingTheTargetAwayGivesUpThePlaceInLine() throws InterruptedException {
    Limiter limiter = limiter("1/1s");
    Throttler<String> throttler = builder(limiter).build();
    throttler.target(this::deliver);
    sendAll(throttler, "1", "2");
    assertEquals(1, limiter.snapshot().waiting());
    throttler.target(null);
    assertEquals(0, limiter.snapshot().waiting());
    time.advance(Duration.ofSeconds(3));
    throttler.target(this::deliver);
    assertEquals(List.of("1@0", "2@3000"), delivered);
  }

  @Test
  void aPauseKeepsAndResumingDelivers() throws InterruptedException {
    Throttler<String> throttler = builder(limiter("unlimited")).build();
    throttler.target(this::deliver);
    throttler.pause();
    sendAll(throttler, "1", "2");
    assertEquals(List.of(), delivered);
    throttler.resume();
    assertEquals(List.of("1@0", "2@0"), delivered);
  }

  @Test
  void aTargetThatFailsStopsNothing() throws InterruptedException {
    var failed = new ArrayList<String>();
    Throttler<String> throttler =
        builder(limiter("unlimited")).onFailure((message, failure) -> failed.add(message)).build();
    throttler.target(
        message -> {
          if (message.equals("bad")) {
            throw new IllegalStateException(message);
          }
          deliver(message);
        });
    sendAll(throttler, "1", "bad", "2");
    assertEquals(List.of("1@0", "2@0"), delivered);
    assertEquals(List.of("bad"), failed);
  }

  @Test
  void aMessageThatCanNeverPassFailsAndTheNextGoes() throws InterruptedException {
    var failed = new ArrayList<String>();
    Throttler<String> throttler =
        builder(limiter("3/1s"))
            .cost(message -> Cost.of(message.length()))
            .onFailure((message, failure) -> failed.add(message))
            .build();
    throttler.target(this::deliver);
    sendAll(throttler, "12345", "12");
    assertEquals(List.of("12345"), failed);
    assertEquals(List.of("12@0"), delivered);
  }

  private Throttler<String> full(Overflow overflow) throws InterruptedException {
    Throttler<String> throttler =
        builder(limiter("unlimited")).capacity(2).overflow(overflow).build();
    sendAll(throttler, "1", "2");
    return throttler;
  }

  @Test
  void aFullQueueRejectsOrDropsAsItIsTold() throws InterruptedException {
    Throttler<String> rejecting = full(Overflow.REJECT);
    assertThrows(QueueFullException.class, () -> rejecting.send("3"));
    assertFalse(full(Overflow.DROP_NEWEST).send("3"));
    assertEquals(List.of("3"), dropped);
    dropped.clear();
    Throttler<String> oldest = full(Overflow.DROP_OLDEST);
    assertTrue(oldest.send("3"));
    assertEquals(List.of("1"), dropped);
    assertEquals(List.of("2", "3"), oldest.undelivered());
    dropped.clear();
    Throttler<String> latest = full(Overflow.KEEP_LATEST);
    assertTrue(latest.send("3"));
    assertEquals(List.of("1", "2"), dropped);
    assertEquals(List.of("3"), latest.undelivered());
  }

  @Test
  void aSenderToAFullQueueWaitsForRoom() throws InterruptedException {
    Throttler<String> throttler = full(Overflow.BLOCK);
    var sent = new CountDownLatch(1);
    var sender =
        new Thread(
            () -> {
              try {
                throttler.send("3");
                sent.countDown();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    sender.start();
    throttler.target(message -> {});
    assertTrue(sent.await(10, SECONDS));
    assertTrue(throttler.drain(Duration.ofSeconds(10)));
    sender.join();
  }

  @Test
  void watermarksPauseAndResumeAPoller() throws InterruptedException {
    var calls = new ArrayList<String>();
    Throttler<String> throttler =
        builder(limiter("unlimited"))
            .watermarks(1, 3, () -> calls.add("pause"), () -> calls.add("resume"))
            .build();
    sendAll(throttler, "1", "2", "3", "4");
    assertEquals(List.of("pause"), calls);
    throttler.target(this::deliver);
    assertEquals(List.of("pause", "resume"), calls);
    assertThrows(
        IllegalArgumentException.class,
        () -> builder(limiter("unlimited")).watermarks(3, 3, () -> {}, () -> {}));
  }

  @Test
  void aClosedThrottlerAcceptsAndDeliversNoMore() throws InterruptedException {
    Throttler<String> throttler = builder(limiter("unlimited")).build();
    sendAll(throttler, "1");
    throttler.close();
    throttler.target(this::deliver);
    assertThrows(IllegalStateException.class, () -> throttler.send("2"));
    assertFalse(throttler.offer("2"));
    assertEquals(List.of(), delivered);
    assertEquals(List.of("1"), throttler.undelivered());
  }

  @Test
  void theTargetMaySendToItsOwnThrottler() throws InterruptedException {
    Throttler<String> throttler = builder(limiter("unlimited")).build();
    throttler.target(
        message -> {
          deliver(message);
          if (message.length() < 3) {
            throttler.offer(message + "+");
          }
        });
    throttler.send("1");
    assertEquals(List.of("1@0", "1+@0", "1++@0"), delivered);
  }

  @Test
  void orderHoldsUnderEightProducersAndALimitOnConcurrency() throws InterruptedException {
    Throttler<int[]> throttler =
        Throttler.<int[]>builder(Limiter.of("concurrent(1) & 10000/1ms")).capacity(100).build();
    var last = new int[8];
    var misplaced = new ArrayList<String>();
    throttler.target(
        message -> {
          if (message[1] != last[message[0]] + 1) {
            misplaced.add(message[0] + ":" + message[1]);
          }
          last[message[0]] = message[1];
        });
    var producers = new ArrayList<Thread>();
    for (int p = 0; p < 8; p++) {
      int producer = p;
      var thread =
          new Thread(
              () -> {
                try {
                  for (int i = 1; i <= 2000; i++) {
                    throttler.send(new int[] {producer, i});
                  }
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              });
      producers.add(thread);
      thread.start();
    }
    for (Thread producer : producers) {
      producer.join();
    }
    assertTrue(throttler.drain(Duration.ofSeconds(30)));
    assertEquals(List.of(), misplaced);
    for (int p = 0; p < 8; p++) {
      assertEquals(2000, last[p]);
    }
  }
}
