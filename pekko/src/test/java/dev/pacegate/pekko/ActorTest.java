package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.typesafe.config.ConfigFactory;
import dev.pacegate.Limiter;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.AllDeadLetters;
import org.apache.pekko.actor.Identify;
import org.apache.pekko.actor.PoisonPill;
import org.apache.pekko.actor.Props;
import org.apache.pekko.pattern.Patterns;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/**
 * What tests of actors share: a system whose actors run on the thread that calls them, a clock that
 * moves when told to, and an actor that records what it is sent.
 *
 * <p>So everything has happened when {@code tell} or {@link #after} returns.
 */
abstract class ActorTest {

  static final String ON_THE_CALLING_THREAD = "pekko.test.calling-thread-dispatcher";

  static ActorSystem system;

  final ManualTime time = ManualTime.manual();
  final ThrottlerOptions options = ThrottlerOptions.DEFAULT.withTime(time);
  final List<String> delivered = new CopyOnWriteArrayList<>();
  final List<AllDeadLetters> lost = new CopyOnWriteArrayList<>();
  private final List<ActorRef> started = new ArrayList<>();

  /** Records each message with the millisecond and who sent it, and what is lost. */
  private static final class Recorder extends AbstractActor {

    private final ActorTest test;

    Recorder(ActorTest test) {
      this.test = test;
    }

    @Override
    public Receive createReceive() {
      return receiveBuilder()
          .match(AllDeadLetters.class, test.lost::add)
          .matchAny(message -> test.delivered.add(message + "@" + test.millis()))
          .build();
    }
  }

  @BeforeAll
  static void startSystem() {
    var config =
        ConfigFactory.parseString(
            """
            pekko.loglevel = "OFF"
            pekko.stdout-loglevel = "OFF"
            pekko.actor.debug.lifecycle = on # published as events
            """);
    system = ActorSystem.create("test", config.withFallback(ConfigFactory.load()));
  }

  @AfterAll
  static void stopSystem() {
    TestKit.shutdownActorSystem(system);
  }

  @AfterEach
  void stopActors() {
    started.forEach(ActorTest::stop);
    assertEquals(0, time.pending(), "timers left");
  }

  ActorRef start(Props props) {
    return started(system.actorOf(props.withDispatcher(ON_THE_CALLING_THREAD)));
  }

  /**
   * Waits until an actor is there, from when on it runs on this thread; stops it after the test.
   */
  ActorRef started(ActorRef ref) {
    started.add(ref);
    Patterns.ask(ref, new Identify(1), Duration.ofSeconds(30)).toCompletableFuture().join();
    return ref;
  }

  /** Stops an actor on this thread: when this returns, it has ended. */
  static void stop(ActorRef actor) {
    actor.tell(PoisonPill.getInstance(), ActorRef.noSender());
  }

  /** Returns an actor that records what it is sent in {@link #delivered}. */
  ActorRef recorder() {
    return start(Props.create(Recorder.class, () -> new Recorder(this)));
  }

  /** Has all that becomes a dead letter, or is dropped, recorded in {@link #lost}. */
  void recordLost() {
    system.eventStream().subscribe(recorder(), AllDeadLetters.class);
  }

  List<String> lostTexts() {
    return lost.stream()
        .map(letter -> letter.getClass().getSimpleName() + " " + letter.message())
        .toList();
  }

  Limiter limiter(String limit) {
    return Limiter.builder(Limits.parse(limit)).time(time).executor(Runnable::run).build();
  }

  long millis() {
    return time.nanoTime() / 1_000_000;
  }

  void after(long millis) {
    time.advance(Duration.ofMillis(millis));
  }

  void assertDelivered(String... expected) {
    assertEquals(List.of(expected), delivered);
  }
}
