package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.stream.FlowShape;
import org.apache.pekko.stream.Graph;
import org.apache.pekko.stream.Materializer;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.stream.testkit.TestPublisher;
import org.apache.pekko.stream.testkit.TestSubscriber;
import org.apache.pekko.stream.testkit.javadsl.StreamTestKit;
import org.apache.pekko.stream.testkit.javadsl.TestSink;
import org.apache.pekko.stream.testkit.javadsl.TestSource;
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
          pekko.stream.testkit.all-stages-stopped-timeout = 60s
          """);

  static ActorSystem system;

  final ManualTime time = ManualTime.manual();
  Materializer materializer;
  private final List<Limiter> shared = new ArrayList<>();
  private final List<Limiter> owned = new ArrayList<>();

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
  void leavesNothingBehind() {
    StreamTestKit.assertAllStagesStopped(materializer);
    materializer.shutdown();
    shared.forEach(StreamTest::assertIdle);
    owned.forEach(StreamTest::assertIdle);
    owned.forEach(StreamTest::assertClosed);
    assertEquals(0, time.pending(), "timers left");
  }

  // ---- limiters

  /** Returns a limiter on the clock of the test. */
  Limiter limiter(String limit) {
    return limiter(Limits.parse(limit));
  }

  /** Returns a limiter on the clock of the test. */
  Limiter limiter(Limit limit) {
    Limiter limiter = newLimiter(limit);
    shared.add(limiter);
    return limiter;
  }

  private Limiter newLimiter(Limit limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  /** As {@link LimiterSource#owning(Limit)}, on the clock of the test. */
  LimiterSource owning(Limit limit) {
    return LimiterSource.owning(
        limit,
        LimiterSource.INSTEAD,
        () -> {
          Limiter limiter = newLimiter(limit);
          owned.add(limiter);
          return limiter;
        });
  }

  int limitersMade() {
    return owned.size();
  }

  static void assertIdle(Limiter limiter) {
    assertEquals(0, limiter.snapshot().waiting(), "places left in the queue");
    assertEquals(0, limiter.snapshot().open(), "permits left open");
  }

  static void assertClosed(Limiter limiter) {
    assertThrows(LimiterClosedException.class, () -> limiter.poll(Cost.ONE));
  }

  // ---- time

  /** Moves the clock, and does all that falls due. */
  void after(long millis) {
    time.advance(Duration.ofMillis(millis));
  }

  static Duration millis(long millis) {
    return Duration.ofMillis(millis);
  }

  // ---- streams

  /** Both ends of a stream. */
  record Ends<T, R>(TestPublisher.Probe<T> source, TestSubscriber.Probe<R> sink) {

    void send(Iterable<? extends T> elements) {
      elements.forEach(source::sendNext);
    }

    void expect(Iterable<? extends R> elements) {
      elements.forEach(sink::expectNext);
    }

    void expectNothing() {
      sink.expectNoMessage(Duration.ZERO);
    }

    void complete() {
      source.sendComplete();
      sink.expectComplete();
    }
  }

  /** Runs a stream through {@code flow}, with both ends in hand and some demand. */
  <T, R> Ends<T, R> run(Graph<FlowShape<T, R>, ?> flow, int demand) {
    var ends =
        TestSource.<T>create(system)
            .via(flow)
            .toMat(TestSink.<R>create(system), Keep.both())
            .run(materializer);
    ends.second().request(demand);
    return new Ends<>(ends.first(), ends.second());
  }

  /** Runs {@code source} through {@code flow}, with its end in hand and some demand. */
  <T, R> TestSubscriber.Probe<R> run(
      Source<T, ?> source, Graph<FlowShape<T, R>, ?> flow, int demand) {
    TestSubscriber.Probe<R> sink =
        source.via(flow).runWith(TestSink.<R>create(system), materializer);
    sink.request(demand);
    return sink;
  }

  /** Runs {@code source} to its end, the clock moving on by {@code step} whenever it waits. */
  <T> List<Long> arrivals(Source<T, ?> source, Flow<T, T, ?> flow, Duration step) {
    var instants = new ArrayList<Long>();
    CompletableFuture<?> done =
        source
            .via(flow)
            .runWith(Sink.foreach(element -> instants.add(time.nanoTime())), materializer)
            .toCompletableFuture();
    while (!done.isDone()) {
      time.advance(step);
    }
    await(done);
    return instants;
  }

  static Source<Integer, ?> numbers(int last) {
    return Source.range(1, last);
  }

  static List<Integer> from(int first, int last) {
    return IntStream.rangeClosed(first, last).boxed().toList();
  }

  static <T> T await(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
  }
}
