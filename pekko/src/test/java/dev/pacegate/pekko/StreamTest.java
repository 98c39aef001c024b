package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.pacegate.Limiter;
import dev.pacegate.limit.Limit;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.stream.Materializer;
import org.apache.pekko.stream.testkit.javadsl.StreamTestKit;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/**
 * What tests of streams share: an actor system whose streams run on the thread that calls them, a
 * clock that moves when told to, and the check that nothing is left behind.
 *
 * <p>So everything has happened when {@code sendNext}, {@code request} or {@link #after} returns,
 * and that nothing comes can be seen without waiting for it.
 */
abstract class StreamTest {

  private static final Config ON_THE_CALLING_THREAD =
      ConfigFactory.parseString(
          """
          pekko.stream.materializer.dispatcher = "pekko.test.calling-thread-dispatcher"
          pekko.loglevel = "OFF"
          """);

  static ActorSystem system;

  final ManualTime time = ManualTime.manual();
  Materializer materializer;

  @BeforeAll
  static void startSystem() {
    system = ActorSystem.create("test", ON_THE_CALLING_THREAD.withFallback(ConfigFactory.load()));
  }

  @AfterAll
  static void stopSystem() {
    TestKit.shutdownActorSystem(system);
  }

  @BeforeEach
  void startMaterializer() {
    materializer = Materializer.createMaterializer(system);
  }

  @AfterEach
  void leavesNoStage() {
    StreamTestKit.assertAllStagesStopped(materializer);
    materializer.shutdown();
  }

  /** Returns a limiter on the clock of the test. */
  Limiter limiter(String limit) {
    return Limiter.builder(Limit.parse(limit)).time(time).executor(Runnable::run).build();
  }

  /** Moves the clock, and does all that falls due. */
  void after(long millis) {
    time.advance(Duration.ofMillis(millis));
  }

  static void assertIdle(Limiter limiter) {
    assertEquals(0, limiter.snapshot().waiting(), "places left in line");
    assertEquals(0, limiter.snapshot().open(), "permits left open");
  }
}
