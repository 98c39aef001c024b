package dev.pacegate.reactive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Real threads and real time: upstream, downstream and the limiter meet each other anywhere. */
class GatheringThreadsTest {

  /** Two seconds by itself; its threads spin, so a busy machine takes many times as long. */
  private static final Duration ENOUGH = Duration.ofSeconds(100);

  @Test
  void batchesLoseNothing() {
    int count = 20_000;
    assertTimeoutPreemptively(
        ENOUGH,
        () -> {
          Batching<Integer> batching =
              Batching.<Integer>ofAtMost(7).linger(Duration.ofNanos(30_000));
          Limiter limiter = Limiter.of("spacing(5us)");
          List<List<Integer>> passed = run(Pace.pacedBatches(limiter, batching), count);
          assertEquals(
              IntStream.range(0, count).boxed().toList(),
              passed.stream().flatMap(List::stream).toList());
          assertTrue(passed.stream().allMatch(batch -> batch.size() <= 7));
        });
  }

  @Test
  void aBatchThatIsNotFullLingersThoughMoreComesWhileItIsLookedAt() {
    Batching<Integer> batching = Batching.<Integer>ofAtMost(1_000).linger(Duration.ofHours(1));
    assertTimeoutPreemptively(
        ENOUGH,
        () -> {
          for (int i = 0; i < 500; i++) {
            var source = new ByHand<Integer>();
            var sink = new Kept<List<Integer>>(Time.system(), 1);
            Pace.pacedBatches(Limiter.of("unlimited"), batching).apply(source).subscribe(sink);
            var upstream = new Thread(() -> IntStream.range(0, 900).forEach(source::send));
            upstream.start();
            while (upstream.isAlive()) {
              sink.subscription.request(1); // looks at the batch
            }
            assertTrue(sink.elements.isEmpty(), "neither full nor old");
            sink.subscription.cancel();
          }
        });
  }

  @Test
  void aggregatesLoseNothing() {
    int count = 2_000_000;
    assertTimeoutPreemptively(
        ENOUGH,
        () -> {
          List<Stretch> passed =
              run(Pace.window(Duration.ofNanos(1), Stretch::of, Stretch::then), count);
          int next = 0;
          for (Stretch stretch : passed) {
            assertEquals(next, stretch.from);
            next = stretch.to + 1;
          }
          assertEquals(count, next);
        });
  }

  /** All numbers from one to another. */
  private record Stretch(int from, int to) {

    static Stretch of(int number) {
      return new Stretch(number, number);
    }

    Stretch then(int next) {
      assertEquals(to + 1, next);
      return new Stretch(from, next);
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // each lets the other go on where both share a processor
  private static <R> List<R> run(Operator<Integer, R> operator, int count) throws Exception {
    var source = new ByHand<Integer>();
    var sink = new Kept<R>(Time.system(), 0);
    var inside = new AtomicInteger();
    sink.then =
        element -> {
          assertEquals(1, inside.incrementAndGet(), "one at a time");
          inside.decrementAndGet();
        };
    operator.apply(source).subscribe(sink);
    var upstream =
        new Thread(
            () -> {
              for (int i = 0; i < count; i++) {
                while (source.requested.get() == 0) {
                  Thread.yield();
                }
                source.send(i);
              }
              source.complete();
            });
    upstream.start();
    while (!sink.isOver()) {
      sink.subscription.request(1);
      Thread.yield();
    }
    upstream.join();
    assertTrue(sink.completed, () -> "failed with " + sink.failure);
    return sink.elements;
  }

  @Test
  void aCancellationAtAnyMomentLeavesNothingBehind() {
    Limiter limiter = Limiter.of("spacing(20us)");
    Operator<Integer, Integer> latest = Pace.throttleLatest(limiter);
    limiter.setLimit("concurrent(1) & spacing(20us)");
    assertTimeoutPreemptively(
        ENOUGH,
        () -> {
          for (int i = 0; i < 2_000; i++) {
            var source = new ByHand<Integer>();
            var sink = new Kept<Integer>(Time.system(), Long.MAX_VALUE);
            latest.apply(source).subscribe(sink);
            var upstream = new Thread(() -> IntStream.range(0, 20).forEach(source::send));
            upstream.start();
            for (int spin = 0; spin < i; spin++) {
              Thread.onSpinWait();
            }
            sink.subscription.cancel();
            upstream.join();
          }
          while (limiter.snapshot().open() + limiter.snapshot().waiting() > 0) {
            Thread.onSpinWait(); // until the limiter's own threads are done
          }
          assertFalse(limiter.tryAcquire(Cost.ONE, ENOUGH).isEmpty());
        });
  }
}
