package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.pacegate.Limiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.stream.Materializer;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.stream.testkit.javadsl.StreamTestKit;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Streams on real threads that share a limiter, many of which are cancelled as they wait. */
class BatchesRaceTest {

  private final ActorSystem system =
      ActorSystem.create(
          "race",
          ConfigFactory.parseString(
                  """
                  pekko { loglevel = OFF, stdout-loglevel = OFF }
                  pekko.stream.testkit.all-stages-stopped-timeout = 60s
                  """)
              .withFallback(ConfigFactory.load()));

  @AfterEach
  void stopSystem() {
    TestKit.shutdownActorSystem(system);
  }

  @Test
  void cancellingAtRandomLosesAndLeavesNothing() throws Exception {
    long seed = new Random().nextLong();
    var random = new Random(seed);
    Materializer materializer = Materializer.createMaterializer(system);
    Limiter limiter = Limiter.of("bucket(20000/1s, burst=5)");
    var streams = new ArrayList<CompletionStage<List<List<Integer>>>>();
    var expected = new ArrayList<Integer>();
    for (int i = 0; i < 100; i++) {
      int elements = random.nextInt(1000);
      int taken = random.nextBoolean() ? elements + 1 : random.nextInt(20);
      boolean timed = random.nextBoolean();
      expected.add(taken > elements ? elements : -1);
      streams.add(
          Source.range(1, elements)
              .async()
              .via(
                  Batches.<Integer>upTo(1 + random.nextInt(20))
                      .within(timed ? Duration.ofNanos(random.nextInt(100_000)) : Duration.ZERO)
                      .paced(limiter))
              .take(taken)
              .runWith(Sink.seq(), materializer));
    }
    for (int i = 0; i < streams.size(); i++) {
      List<Integer> came =
          streams.get(i).toCompletableFuture().get(60, TimeUnit.SECONDS).stream()
              .flatMap(Collection::stream)
              .toList();
      assertEquals(IntStream.rangeClosed(1, came.size()).boxed().toList(), came, "seed " + seed);
      assertTrue(expected.get(i) < 0 || expected.get(i) == came.size(), "seed " + seed);
    }
    StreamTestKit.assertAllStagesStopped(materializer); // postStop is run after the last element
    assertEquals(0, limiter.snapshot().waiting(), "seed " + seed);
    assertEquals(0, limiter.snapshot().open(), "seed " + seed);
  }
}
