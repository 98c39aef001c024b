package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.redis.rig.Await;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Many threads call while others answer, and a connection comes and goes: each entry is answered
 * once, by what was said to it.
 */
@Timeout(120)
class StoreRaceTest {

  private static final int THREADS = 6;
  private static final int CALLS = 4_000; // of each thread
  private static final Duration SOON = Duration.ofSeconds(60);

  private final LinkedBlockingQueue<Asked> asked = new LinkedBlockingQueue<>();
  private final Store store =
      new Store(
          Asked.connection(asked::add), new Wire(), problem -> problem, () -> {}, Time.system());
  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
  private final AtomicInteger answers = new AtomicInteger();
  private final AtomicInteger failures = new AtomicInteger();
  private final AtomicInteger made = new AtomicInteger();
  private final List<Object> sources = List.of(new Object(), new Object());
  private volatile boolean stopped;

  @Test
  void eachEntryIsAnsweredOnceByItsOwnReply() throws InterruptedException {
    var callers = new ArrayList<Thread>();
    for (int i = 0; i < THREADS; i++) {
      int first = i * CALLS;
      callers.add(start(() -> call(first)));
    }
    List<Thread> servers = List.of(start(this::answerAll), start(this::answerAll));
    for (Thread caller : callers) {
      caller.join();
    }
    Await.until(() -> answers + " answers", SOON, () -> answers.get() >= THREADS * CALLS);
    stopped = true;
    for (Thread server : servers) {
      server.join();
    }
    assertEquals(THREADS * CALLS, answers.get());
    assertEquals(List.of(), List.copyOf(wrong));
    assertTrue(made.get() <= THREADS * CALLS);
    assertEquals(0, asked.size());
    System.out.printf(
        "race: %d calls for %d entries, %d failed%n", made.get(), answers.get(), failures.get());
  }

  private static Thread start(Runnable work) {
    var thread = new Thread(work, "race");
    thread.start();
    return thread;
  }

  private void call(int first) {
    for (int i = first; i < first + CALLS; i++) {
      int number = i;
      boolean gathers = i % 8 > 0;
      store.run(
          Script.ACQUIRE,
          new Address("api", "key" + number, ""),
          1,
          Callers.of(
              gathers ? sources.get(i % 2) : null,
              () -> List.of("" + number),
              why -> {},
              (reply, problem) -> answered(number, reply)));
    }
  }

  private void answered(int number, @Nullable Reply reply) {
    answers.incrementAndGet();
    if (reply == null) {
      failures.incrementAndGet();
    } else if (reply.grants().get(0).units().get(0) != number) {
      wrong.add(number + " was told " + reply.grants());
    }
  }

  private void answerAll() {
    try {
      while (!stopped) {
        Asked call = asked.poll(10, TimeUnit.MILLISECONDS);
        if (call != null) {
          made.incrementAndGet();
          answer(call);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void answer(Asked call) {
    List<String> entries = call.arguments().subList(1, call.arguments().size());
    if (ThreadLocalRandom.current().nextInt(20) == 0) {
      call.completeExceptionally(new IllegalStateException("the connection was lost"));
      return;
    }
    call.complete(
        ReplyFields.of("10/1s")
            .toReply(
                entries.stream()
                    .map(e -> ReplyFields.of("").grant(Long.parseLong(e), 1_000).toEntry())
                    .toList()));
  }
}
