package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.typesafe.config.ConfigFactory;
import dev.pacegate.Limiter;
import dev.pacegate.limit.Limits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.AllDeadLetters;
import org.apache.pekko.actor.Identify;
import org.apache.pekko.actor.Props;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.pattern.Patterns;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * On the default dispatcher, with real threads: what a throttler is told takes effect in the order
 * of its mailbox. No virtual time can show this, as it has one thread.
 */
class MailboxOrderTest {

  private static final int ROUNDS = 100;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final Comparator<String> BY_RECEIVER =
      Comparator.comparing(text -> text.substring(0, text.indexOf(' ')));

  private static ActorSystem system;

  private final ConcurrentLinkedQueue<String> received = new ConcurrentLinkedQueue<>();
  private final ActorRef one = recorder("one ");
  private final ActorRef other = recorder("other ");
  private final ActorRef dead = recorder("lost ");

  @BeforeAll
  static void startSystem() {
    system =
        ActorSystem.create(
            "order",
            ConfigFactory.parseString("pekko { loglevel = OFF, stdout-loglevel = OFF }")
                .withFallback(ConfigFactory.load()));
  }

  @AfterAll
  static void stopSystem() {
    TestKit.shutdownActorSystem(system);
  }

  @AfterEach
  void stopActors() {
    List.of(one, other, dead).forEach(system::stop);
  }

  private static final class Recorder extends AbstractActor {

    private final String name;
    private final ConcurrentLinkedQueue<String> received;

    Recorder(String name, ConcurrentLinkedQueue<String> received) {
      this.name = name;
      this.received = received;
    }

    @Override
    public Receive createReceive() {
      return receiveBuilder()
          .match(String.class, message -> received.add(name + message))
          .match(
              AllDeadLetters.class,
              letter -> letter.message() instanceof String, // no message of Pekko's
              letter -> received.add(name + letter.message()))
          .build();
    }
  }

  private ActorRef recorder(String name) {
    return system.actorOf(Props.create(Recorder.class, () -> new Recorder(name, received)));
  }

  /** A kind of actor, and what steers it. */
  private enum Kind {
    CLASSIC {
      @Override
      ActorRef start(Limiter limiter, ThrottlerOptions options) {
        return system.actorOf(ThrottlerActor.props(limiter, options));
      }

      @Override
      Object send(String message) {
        return message;
      }

      @Override
      Object target(ActorRef target) {
        return new ThrottlerActor.SetTarget(target);
      }

      @Override
      Object noTarget() {
        return ThrottlerActor.SetTarget.none();
      }

      @Override
      Object limit(String limit) {
        return ThrottlerActor.SetLimit.to(limit);
      }
    },
    TYPED {
      @Override
      ActorRef start(Limiter limiter, ThrottlerOptions options) {
        return Adapter.toClassic(
            Adapter.spawnAnonymous(system, ThrottlerBehavior.<String>create(limiter, options)));
      }

      @Override
      Object target(ActorRef target, boolean replies) {
        return replies
            ? new ThrottlerBehavior.AskTarget<String, Question, String>(
                Adapter.toTyped(target), Question::new)
            : target(target);
      }

      @Override
      Object send(String message) {
        return new ThrottlerBehavior.Send<>(message);
      }

      @Override
      Object target(ActorRef target) {
        return new ThrottlerBehavior.SetTarget<String>(Adapter.toTyped(target));
      }

      @Override
      Object noTarget() {
        return ThrottlerBehavior.SetTarget.none();
      }

      @Override
      Object limit(String limit) {
        return ThrottlerBehavior.SetLimit.to(limit);
      }
    };

    abstract ActorRef start(Limiter limiter, ThrottlerOptions options);

    abstract Object send(String message);

    abstract Object target(ActorRef target);

    Object target(ActorRef target, boolean replies) {
      return target(target);
    }

    abstract Object noTarget();

    abstract Object limit(String limit);
  }

  private void rounds(
      Kind kind, Supplier<Limiter> limiters, List<Object> script, List<String> expected) {
    rounds(kind, limiters, script, MailboxOrderTest::handleAll, expected);
  }

  /**
   * Repeats a script with a new actor each time, and counts the rounds with another outcome.
   *
   * @param finish returns when the throttler has handled the script
   */
  private void rounds(
      Kind kind,
      Supplier<Limiter> limiters,
      List<Object> script,
      Consumer<ActorRef> finish,
      List<String> expected) {
    var wrong = new ArrayList<String>();
    for (int round = 0; round < ROUNDS; round++) {
      received.clear();
      Limiter limiter = limiters.get();
      ActorRef throttler = kind.start(limiter, ThrottlerOptions.DEFAULT);
      script.forEach(message -> throttler.tell(message, ActorRef.noSender()));
      finish.accept(throttler);
      List.of(one, other, dead).forEach(MailboxOrderTest::handleAll);
      List<String> outcome = received.stream().sorted(BY_RECEIVER).toList(); // a stable sort
      if (!outcome.equals(expected) || limiter.snapshot().open() > 0) {
        wrong.add(String.join(", ", received));
      }
      system.stop(throttler);
    }
    assertEquals(List.of(), wrong, wrong.size() + " of " + ROUNDS + " rounds");
  }

  /** Returns when the actor has handled what it was sent before. */
  private static void handleAll(ActorRef actor) {
    await(Patterns.ask(actor, new Identify(1), PATIENCE));
  }

  private static void stop(ActorRef actor) {
    await(Patterns.gracefulStop(actor, PATIENCE));
  }

  private static void await(CompletionStage<?> stage) {
    var unused = stage.toCompletableFuture().join();
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void takingTheTargetAwayOvertakesNothing(Kind kind) {
    rounds(
        kind,
        () -> Limiter.of("10/1h"),
        List.of(
            kind.target(one),
            kind.send("1"),
            kind.send("2"),
            kind.send("3"),
            kind.noTarget(),
            kind.send("4")),
        List.of("one 1", "one 2", "one 3"));
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void anotherTargetOvertakesNothing(Kind kind) {
    rounds(
        kind,
        () -> Limiter.of("10/1h"),
        List.of(
            kind.target(one),
            kind.send("1"),
            kind.send("2"),
            kind.target(other),
            kind.send("3"),
            kind.target(one),
            kind.send("4"),
            kind.noTarget()),
        List.of("one 1", "one 2", "one 4", "other 3"));
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aStricterLimitOvertakesNothing(Kind kind) {
    rounds(
        kind,
        () -> Limiter.of("10/1h"),
        List.of(
            kind.target(one),
            kind.send("1"),
            kind.send("2"),
            kind.send("3"),
            kind.limit("3/1h"),
            kind.send("4")),
        List.of("one 1", "one 2", "one 3"));
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aLooserLimitLetsTheQueueGoToTheTargetOfThatTime(Kind kind) {
    rounds(
        kind,
        () -> Limiter.of("1/1h"),
        List.of(
            kind.target(one),
            kind.send("1"),
            kind.send("2"),
            kind.send("3"),
            kind.limit("unlimited"),
            kind.target(other),
            kind.send("4")),
        List.of("one 1", "one 2", "one 3", "other 4"));
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void theEndOvertakesNothing(Kind kind) {
    system.eventStream().subscribe(dead, AllDeadLetters.class);
    rounds(
        kind,
        () -> Limiter.of("10/1h"),
        List.of(kind.target(one), kind.send("1"), kind.send("2"), kind.send("3")),
        MailboxOrderTest::stop,
        List.of("one 1", "one 2", "one 3"));
    system.eventStream().unsubscribe(dead);
  }

  /** A limiter that lets no request wait refuses one that joins its queue, if only for a moment. */
  @ParameterizedTest
  @EnumSource(Kind.class)
  void nothingIsOvertakenWhereNoRequestMayWait(Kind kind) {
    rounds(
        kind,
        () -> Limiter.builder(Limits.parse("10/1h")).maxWaiting(0).build(),
        List.of(kind.target(one), kind.send("1"), kind.send("2"), kind.noTarget()),
        List.of("one 1", "one 2"));
  }

  // ---- messages that wait

  private record Question(String text, org.apache.pekko.actor.typed.ActorRef<String> replyTo) {}

  private static final class Replying extends AbstractActor {

    private final String name;
    private final ConcurrentLinkedQueue<String> received;

    Replying(String name, ConcurrentLinkedQueue<String> received) {
      this.name = name;
      this.received = received;
    }

    @Override
    public Receive createReceive() {
      return receiveBuilder()
          .match(String.class, message -> received.add(name + message))
          .match(
              Question.class,
              question -> {
                received.add(name + question.text());
                question.replyTo().tell("done");
              })
          .build();
    }

    @Override
    public void aroundReceive(
        scala.PartialFunction<Object, scala.runtime.BoxedUnit> receive, Object message) {
      super.aroundReceive(receive, message);
      if (message instanceof String) {
        getSender().tell("done", getSelf());
      }
    }
  }

  /** A message waits for time, or for a reply; which target gets it depends on when it is due. */
  @ParameterizedTest
  @CsvSource({
    "CLASSIC, spacing(300us), false",
    "TYPED, spacing(300us), false",
    "CLASSIC, 'peer(2/300us, margin=0ns)', true",
    "TYPED, concurrent(1), true"
  })
  void waitingMessagesKeepTheirOrderAndGoOnce(Kind kind, String limit, boolean replies) {
    var options = ThrottlerOptions.DEFAULT;
    var replying = replies ? options.withReplies(PATIENCE) : options;
    for (int round = 0; round < ROUNDS / 4; round++) { // each takes some milliseconds
      received.clear();
      ActorRef a = replying("a ");
      ActorRef b = replying("b ");
      Limiter limiter = Limiter.of(limit);
      ActorRef throttler = kind.start(limiter, replying);
      int sent = 0;
      for (int change = 0; change < 6; change++) {
        throttler.tell(kind.target(change % 2 == 0 ? a : b, replies), ActorRef.noSender());
        for (int i = 0; i < 3; i++) {
          throttler.tell(kind.send(String.valueOf(10 + sent++)), ActorRef.noSender());
        }
        throttler.tell(kind.noTarget(), ActorRef.noSender());
      }
      throttler.tell(kind.target(b, replies), ActorRef.noSender());
      int all = sent;
      RepliesTest.await(() -> received.size() >= all && limiter.snapshot().open() == 0);
      List<String> outcome = List.copyOf(received);
      assertEquals(all, outcome.stream().map(text -> text.substring(2)).distinct().count());
      assertEquals(all, outcome.size());
      for (String name : List.of("a ", "b ")) {
        List<String> got = outcome.stream().filter(text -> text.startsWith(name)).toList();
        assertEquals(got.stream().sorted().toList(), got);
      }
      assertEquals(0, limiter.snapshot().waiting());
      List.of(throttler, a, b).forEach(system::stop);
    }
  }

  private ActorRef replying(String name) {
    return system.actorOf(Props.create(Replying.class, () -> new Replying(name, received)));
  }
}
