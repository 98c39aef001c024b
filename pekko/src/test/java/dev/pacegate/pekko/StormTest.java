package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterListener;
import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.pekko.Done;
import org.apache.pekko.stream.ActorAttributes;
import org.apache.pekko.stream.KillSwitches;
import org.apache.pekko.stream.UniqueKillSwitch;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.stream.testkit.javadsl.StreamTestKit;
import org.junit.jupiter.api.Test;

/** Streams on threads of their own, in real time. */
class StormTest extends StreamTest {

  private static final Limit LIMIT = Limit.parse("bucket(1/200us, burst=3)");

  private final ConcurrentLinkedQueue<Long> released = new ConcurrentLinkedQueue<>();
  private final AtomicLong passed = new AtomicLong();
  private final List<UniqueKillSwitch> switches = new ArrayList<>();
  private final List<CompletionStage<Done>> ends = new ArrayList<>();

  private void stream(Limiter limiter, int elements) {
    var run =
        Source.repeat(1)
            .viaMat(KillSwitches.single(), Keep.right())
            .via(Throttle.of(limiter))
            .map(element -> passed.incrementAndGet())
            .take(elements)
            .toMat(Sink.ignore(), Keep.both())
            .withAttributes(ActorAttributes.dispatcher("pekko.actor.default-dispatcher"))
            .run(materializer);
    switches.add(run.first());
    ends.add(run.second());
  }

  @Test
  void whatIsPassedIsWhatIsPermittedHoweverStreamsEnd() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    var random = new Random(seed);
    Limiter limiter = Limiter.builder(LIMIT).listener(new Releases()).build();
    for (int stream = 0; stream < 40; stream++) {
      stream(limiter, 1 + random.nextInt(40));
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
