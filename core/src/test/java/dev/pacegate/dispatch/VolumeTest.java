package dev.pacegate.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many messages, each big enough that a heap which keeps some of them for long would not do. */
@Tag("slow")
class VolumeTest {

  private static final int CAPACITY = 500;

  /** A kilobyte each: a million of them would fill a gigabyte. */
  private static final class Message {
    final long number;
    final byte[] load = new byte[1000];

    Message(long number) {
      this.number = number;
    }
  }

  @Test
  void aMillionMessagesPassInBoundedMemory() throws InterruptedException {
    pass(1_000_000);
  }

  @Test
  @Tag("heavy")
  void tenMillionMessagesPassInBoundedMemory() throws InterruptedException {
    pass(10_000_000);
  }

  private static void pass(int messages) throws InterruptedException {
    Limiter limiter = Limiter.of("bucket(1000000000/1s, burst=1000) & concurrent(1)");
    Throttler<Message> throttler = Throttler.<Message>builder(limiter).capacity(CAPACITY).build();
    var next = new AtomicLong();
    var misplaced = new AtomicInteger();
    var longest = new AtomicInteger();
    var used = new long[2]; // in the first tenth, and afterwards; by the one who delivers
    throttler.target(
        message -> {
          if (message.number != next.getAndIncrement() || message.load.length != 1000) {
            misplaced.incrementAndGet();
          }
          if (message.number % 1000 == 0) {
            longest.accumulateAndGet(throttler.queued(), Math::max);
          }
          if (message.number % (messages / 20) == 0) {
            int part = message.number < messages / 10 ? 0 : 1;
            used[part] = Math.max(used[part], usedAfterCollection());
          }
        });
    long began = System.nanoTime();
    for (long i = 0; i < messages; i++) {
      throttler.send(new Message(i));
    }
    assertTrue(throttler.drain(Duration.ofMinutes(1)));
    long millis = (System.nanoTime() - began) / 1_000_000;
    System.out.printf(
        "%,d messages in %,d ms; heap in use %,d kB, later %,d kB; heap %,d MB%n",
        messages, millis, used[0] / 1000, used[1] / 1000, Runtime.getRuntime().maxMemory() >> 20);
    assertEquals(messages, next.get());
    assertEquals(0, misplaced.get());
    assertTrue(longest.get() <= CAPACITY, "queued " + longest);
    assertTrue(used[1] < used[0] + 20_000_000, "grown from " + used[0] + " to " + used[1]);
    Rig.assertIdle(limiter);
  }

  @SuppressWarnings("System.gc")
  private static long usedAfterCollection() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
