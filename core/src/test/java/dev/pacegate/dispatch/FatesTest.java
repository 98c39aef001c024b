package dev.pacegate.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.Limiter;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every message has one fate, whatever happens meanwhile: several senders, all policies, targets
 * that fail, block, answer later, are exchanged and taken away, messages that can never pass,
 * pauses, another limit, and an end in the middle.
 */
@Tag("slow")
class FatesTest {

  private static final String[] LIMITS = {
    "unlimited",
    "concurrent(1)",
    "concurrent(3)",
    "2000/1ms",
    "spacing(2us)",
    "3/10us & concurrent(2)"
  };

  private static final List<Overflow> POLICIES = List.of(Overflow.values());

  @Test
  void everyMessageHasOneFate() {
    Seeds.forEach(250, random -> new World(random).run());
  }

  @SuppressWarnings("ThreadPriorityCheck") // lets the others in between
  private static final class World {
    static final int SENDERS = 3;
    static final int EACH = 120;

    final SplittableRandom random;
    final Limiter limiter;
    final Throttler<Integer> throttler;
    final Executor executor;
    final boolean costly;

    final AtomicIntegerArray delivered = new AtomicIntegerArray(SENDERS * EACH);
    final AtomicIntegerArray never = new AtomicIntegerArray(SENDERS * EACH);
    final AtomicIntegerArray dropped = new AtomicIntegerArray(SENDERS * EACH);
    final AtomicIntegerArray returned = new AtomicIntegerArray(SENDERS * EACH);
    final AtomicIntegerArray accepted = new AtomicIntegerArray(SENDERS * EACH);
    final int[] last = new int[SENDERS]; // guarded by there being one deliverer
    final AtomicInteger delivering = new AtomicInteger();
    final AtomicInteger mishaps = new AtomicInteger();

    World(SplittableRandom random) {
      this.random = random;
      Arrays.fill(last, -1);
      String limit = LIMITS[random.nextInt(LIMITS.length)];
      costly = limit.equals("2000/1ms");
      executor = random.nextInt(3) == 0 ? Runnable::run : ForkJoinPool.commonPool();
      limiter = Limiter.builder(limit).maxWaiting(random.nextInt(5) == 0 ? 1 : 100).build();
      throttler =
          Throttler.<Integer>builder(limiter)
              .executor(executor)
              .capacity(1 + random.nextInt(20))
              .overflow(POLICIES.get(random.nextInt(POLICIES.size())))
              .cost(this::cost)
              .onDrop(dropped::incrementAndGet)
              .onFailure(this::failed)
              .watermarks(0, 1, () -> mayThrow(3), () -> mayThrow(4))
              .build();
    }

    /** Costs differ where the limit has room for that, and some can never pass. */
    private Cost cost(int message) {
      if (message % 31 == 30) {
        throw new IllegalStateException("no cost");
      }
      if (!costly) {
        return Cost.ONE;
      }
      return Cost.of(message % 17 == 16 ? 5000 : 1 + message % 3);
    }

    private void failed(int message, Throwable failure) {
      if (failure instanceof CostTooLargeException) {
        never.incrementAndGet(message);
      }
      mayThrow(message);
    }

    private static void mayThrow(int number) {
      if (number % 3 == 0) {
        throw new IllegalStateException("a callback that fails");
      }
    }

    private void deliver(int message) {
      passed(message);
      if (message % 5 == 0) {
        throw new AssertionError("a target that fails");
      }
    }

    private CompletionStage<String> deliverAsync(int message) {
      passed(message);
      return switch (message % 4) {
        case 0 -> CompletableFuture.failedFuture(new IOException("no answer"));
        case 1 -> CompletableFuture.completedFuture("answer");
        case 2 -> throw new IllegalStateException("no stage");
        default ->
            CompletableFuture.supplyAsync(
                () -> "late", CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS));
      };
    }

    private void passed(int message) {
      if (delivering.getAndIncrement() != 0 || last[message / EACH] >= message) {
        mishaps.incrementAndGet();
      }
      last[message / EACH] = message;
      delivered.incrementAndGet(message);
      if (message % 7 == 0) {
        Thread.yield();
      }
      delivering.decrementAndGet();
    }

    void run() {
      throttler.target(this::deliver);
      var senders = new ArrayList<Thread>();
      for (int s = 0; s < SENDERS; s++) {
        int first = s * EACH;
        var own = random.split();
        senders.add(Rig.start(() -> send(first, own)));
      }
      for (int i = random.nextInt(60); i > 0; i--) {
        disturb();
      }
      throttler.target(this::deliver);
      throttler.resume();
      boolean ends = random.nextBoolean();
      if (ends) {
        end();
      }
      senders.forEach(World::join);
      try {
        assertTrue(throttler.drain(Rig.PATIENCE) || ends, "not drained");
        throttler.close();
        take();
        assertTrue(throttler.drain(Rig.PATIENCE), "not all is decided");
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      account();
    }

    private void end() {
      if (random.nextBoolean()) {
        throttler.close();
      } else {
        limiter.close();
      }
    }

    private void disturb() {
      switch (random.nextInt(8)) {
        case 0 -> throttler.target(null);
        case 1 -> throttler.target(this::deliver);
        case 2 -> throttler.targetAsync(this::deliverAsync);
        case 3 -> throttler.pause();
        case 4, 5 -> throttler.resume();
        case 6 -> take();
        default -> limiter.setLimit(limiter.limit());
      }
      Thread.yield();
    }

    private void take() {
      throttler.undelivered().forEach(returned::incrementAndGet);
    }

    private void send(int first, SplittableRandom own) {
      for (int message = first; message < first + EACH; message++) {
        try {
          boolean taken = own.nextInt(4) == 0 ? throttler.offer(message) : throttler.send(message);
          if (taken) {
            accepted.incrementAndGet(message);
          }
        } catch (QueueFullException | IllegalStateException | InterruptedException refused) {
          Thread.yield();
        }
      }
    }

    private static void join(Thread thread) {
      Rig.await("a sender", () -> !thread.isAlive());
    }

    private void account() {
      assertEquals(0, mishaps.get(), "delivered out of order, or two at a time");
      for (int m = 0; m < SENDERS * EACH; m++) {
        List<Integer> fate =
            List.of(delivered.get(m), never.get(m), dropped.get(m), returned.get(m));
        int fates = fate.stream().mapToInt(Integer::intValue).sum();
        boolean notQueued = accepted.get(m) == 0 && dropped.get(m) == fates;
        assertTrue(
            accepted.get(m) == 1 ? fates == 1 : notQueued && fates <= 1,
            "message " + m + ", accepted " + accepted.get(m) + ": " + fate);
      }
      Rig.assertIdle(limiter);
    }
  }
}
