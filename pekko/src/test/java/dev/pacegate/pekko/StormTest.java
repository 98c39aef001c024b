package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterListener;
import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.ActorAttributes;
import org.apache.pekko.stream.KillSwitches;
import org.apache.pekko.stream.UniqueKillSwitch;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.stream.testkit.javadsl.StreamTestKit;
import org.junit.jupiter.api.Test;

/** Streams on threads of their own, in real time. */
class StormTest extends StreamTest {

  private static final Limit LIMIT = Limits.parse("bucket(1/200us, burst=3)");

  private final ConcurrentLinkedQueue<Long> released = new ConcurrentLinkedQueue<>();
  private final AtomicLong passed = new AtomicLong();
  private final ConcurrentLinkedQueue<CompletableFuture<Integer>> calls =
      new ConcurrentLinkedQueue<>();
  private final List<UniqueKillSwitch> switches = new ArrayList<>();
  private final List<CompletionStage<Done>> ends = new ArrayList<>();

  private void stream(Flow<Integer, Integer, NotUsed> flow, int elements) {
    var run =
        Source.repeat(1)
            .viaMat(KillSwitches.single(), Keep.right())
            .via(flow)
            .take(elements)
            .toMat(Sink.ignore(), Keep.both())
            .withAttributes(ActorAttributes.dispatcher("pekko.actor.default-dispatcher"))
            .run(materializer);
    switches.add(run.first());
    ends.add(run.second());
  }

  private Flow<Integer, Integer, NotUsed> counting(Limiter limiter) {
    return Throttle.<Integer>of(limiter)
        .map(
            element -> {
              passed.incrementAndGet();
              return element;
            });
  }

  @Test
  void streamsPassAsManyAsArePermittedHoweverTheyEnd() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    var random = new Random(seed);
    Limiter limiter = Limiter.builder(LIMIT).listener(new Releases()).build();
    for (int stream = 0; stream < 40; stream++) {
      stream(counting(limiter), 1 + random.nextInt(40));
      LockSupport.parkNanos(random.nextInt(2_000_000)); // so that some end while others begin
      if (stream % 3 == 0) {
        switches.get(random.nextInt(switches.size())).abort(new IllegalStateException("aborted"));
      } else if (stream % 3 == 1) {
        switches.get(random.nextInt(switches.size())).shutdown();
      }
    }
    ends.forEach(StormTest::awaitEnd);
    StreamTestKit.assertAllStagesStopped(materializer);
    assertIdle(limiter);
    assertEquals(limiter.snapshot().granted(), passed.get());
    var audit = Audit.of(LIMIT);
    released.stream().sorted().forEach(audit::add);
    assertTrue(audit.report().kept(), audit.report()::text);
  }

  /** Returns a flow whose calls are answered by other threads, but for some that never are. */
  private Flow<Integer, Integer, NotUsed> calling(Limiter limiter) {
    return Throttle.mapAsync(
        limiter,
        4,
        element -> {
          var answer = new CompletableFuture<Integer>();
          calls.add(answer);
          return passed.incrementAndGet() % 10 == 0 ? answer : answer.completeAsync(() -> element);
        });
  }

  @Test
  void noCallIsLeftHoweverStreamsEnd() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    var random = new Random(seed);
    Limiter limiter = Limiter.of(LIMIT.and(Limits.concurrent(20)));
    for (int stream = 0; stream < 60; stream++) {
      stream(calling(limiter), 1 + random.nextInt(40));
      LockSupport.parkNanos(random.nextInt(1_000_000)); // so that some end while others begin
      if (stream % 2 == 0) {
        switches.get(random.nextInt(switches.size())).abort(new IllegalStateException("aborted"));
      }
    }
    switches.forEach(end -> end.abort(new IllegalStateException("aborted")));
    ends.forEach(StormTest::awaitEnd);
    StreamTestKit.assertAllStagesStopped(materializer);
    awaitIdle(limiter);
    assertTrue(calls.stream().allMatch(CompletableFuture::isDone), "seed " + seed);
    assertTrue(passed.get() <= limiter.snapshot().granted(), "seed " + seed);
  }

  /**
   * A thread that was about to call when the stream ended may still have to give back its permit.
   */
  private static void awaitIdle(Limiter limiter) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (limiter.snapshot().open() > 0 && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    assertIdle(limiter);
  }

  private static void awaitEnd(CompletionStage<Done> end) {
    end.toCompletableFuture().handle((done, failure) -> done).orTimeout(1, TimeUnit.MINUTES).join();
  }

  private final class Releases implements LimiterListener {
    @Override
    public void onRelease(Cost cost, long instant, long waited) {
      released.add(instant);
    }
  }
}
