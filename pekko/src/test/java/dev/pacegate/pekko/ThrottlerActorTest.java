package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.audit.Audit;
import dev.pacegate.dispatch.Overflow;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Rate;
import dev.pacegate.pekko.ThrottlerActor.SetLimit;
import dev.pacegate.pekko.ThrottlerActor.SetRate;
import dev.pacegate.pekko.ThrottlerActor.SetTarget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.AllDeadLetters;
import org.apache.pekko.actor.AllForOneStrategy;
import org.apache.pekko.actor.Props;
import org.apache.pekko.actor.SupervisorStrategy;
import org.apache.pekko.japi.pf.DeciderBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The cases of Akka's {@code TimerBasedThrottler} are in {@link TimerBasedCasesTest}. */
class ThrottlerActorTest extends ActorTest {

  private final ActorRef target = recorder();
  private final List<String> lostByQueue = new ArrayList<>();

  private ActorRef throttler(String limit, ThrottlerOptions options) {
    return start(ThrottlerActor.props(Limits.parse(limit), options));
  }

  private ActorRef throttler(String limit) {
    return throttler(limit, options);
  }

  private static void send(ActorRef to, Object... messages) {
    for (Object message : messages) {
      to.tell(message, ActorRef.noSender());
    }
  }

  // ---- delivery

  /** Answers every actor that asks. */
  private static final class Echo extends AbstractActor {
    @Override
    public Receive createReceive() {
      return receiveBuilder()
          .matchAny(message -> getSender().tell("answer to " + message, getSelf()))
          .build();
    }
  }

  @Test
  void theTargetSeesTheOriginalSender() {
    ActorRef throttler = throttler("1/1s");
    send(throttler, new SetTarget(start(Props.create(Echo.class, Echo::new))));
    ActorRef asks = recorder();
    throttler.tell("1", asks);
    throttler.tell("2", asks);
    after(1000);
    assertDelivered("answer to 1@0", "answer to 2@1000");
  }

  @Test
  void messagesAreDeliveredInOrderAndNoFasterThanTheLimit() {
    long seed = new Random().nextLong();
    var random = new Random(seed);
    String limit = "5/1s & spacing(30ms)";
    var audit = Audit.of(Limits.parse(limit));
    var messages = new ArrayList<Object>();
    ActorRef throttler = throttler(limit);
    ActorRef auditor =
        start(
            Props.create(
                Auditor.class,
                () ->
                    new Auditor(
                        message -> {
                          audit.add(time.nanoTime());
                          messages.add(message);
                        })));
    send(throttler, new SetTarget(auditor));
    for (int i = 0; i < 500; i++) {
      send(throttler, i);
      after(random.nextInt(400));
      if (random.nextInt(20) == 0) {
        send(throttler, SetTarget.none());
        after(random.nextInt(3000));
        send(throttler, new SetTarget(auditor));
      }
    }
    after(60_000);
    assertTrue(audit.report().kept(), "seed " + seed + ": " + audit.report().text());
    for (int i = 0; i < 500; i++) {
      assertEquals(i, messages.get(i), "seed " + seed);
    }
    assertEquals(500, messages.size(), "seed " + seed);
  }

  static final class Auditor extends AbstractActor {

    private final Consumer<Object> received;

    Auditor(Consumer<Object> received) {
      this.received = received;
    }

    @Override
    public Receive createReceive() {
      return receiveBuilder().matchAny(received::accept).build();
    }
  }

  @Test
  void twoThrottlersOfOneLimiterKeepItTogether() {
    Limiter limiter = limiter("3/1s");
    ActorRef one = start(ThrottlerActor.props(limiter, options));
    ActorRef other = start(ThrottlerActor.props(limiter, options));
    send(one, new SetTarget(target), "1", "2");
    send(other, new SetTarget(target), "3", "4");
    assertDelivered("1@0", "2@0", "3@0");
    after(1000);
    assertDelivered("1@0", "2@0", "3@0", "4@1000");
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  void actorsOfOnePropsHaveQueuesAndLimitersOfTheirOwn() {
    Props props = ThrottlerActor.props(Limits.parse("1/1s"), options);
    ActorRef one = start(props);
    ActorRef other = start(props);
    send(one, new SetTarget(target), "1", "2");
    send(other, "3", new SetTarget(target));
    assertDelivered("1@0", "3@0");
    stop(one);
    send(other, "4");
    after(1000);
    assertDelivered("1@0", "3@0", "4@1000");
  }

  @Test
  void aChangedLimitRetimesWhatIsQueued() {
    ActorRef throttler = throttler("1/1h");
    send(throttler, new SetTarget(target), "1", "2", "3");
    after(400);
    send(throttler, SetLimit.to("1/1s"));
    assertDelivered("1@0");
    after(1600);
    assertDelivered("1@0", "2@1000", "3@2000");
  }

  @Test
  void withoutWorkThereIsNoTimerAndNoPlaceInLine() {
    Limiter limiter = limiter("1/1s");
    ActorRef throttler = start(ThrottlerActor.props(limiter, options));
    send(throttler, new SetTarget(target), "1");
    assertEquals(0, time.pending());
    send(throttler, "2");
    assertEquals(1, limiter.snapshot().waiting());
    send(throttler, SetTarget.none());
    assertEquals(0, limiter.snapshot().waiting());
    assertEquals(0, time.pending());
  }

  // ---- the queue is bounded

  @ParameterizedTest
  @ValueSource(strings = {"DROP_NEWEST", "DROP_OLDEST", "KEEP_LATEST"})
  void aMessageThatDoesNotFitIsPublished(Overflow overflow) {
    recordLost();
    ActorRef throttler = throttler("1/1s", options.withCapacity(2).withOverflow(overflow));
    ActorRef sender = recorder();
    for (String message : List.of("1", "2", "3")) {
      throttler.tell(message, sender);
    }
    List<String> dropped =
        switch (overflow) {
          case DROP_NEWEST -> List.of("Dropped 3");
          case DROP_OLDEST -> List.of("Dropped 1");
          default -> List.of("Dropped 1", "Dropped 2");
        };
    assertEquals(dropped, lostTexts());
    assertEquals(sender, lost.get(0).sender());
    assertEquals(throttler, lost.get(0).recipient());
    send(throttler, new SetTarget(target));
    after(2000);
    assertEquals(3 - dropped.size(), delivered.size());
  }

  /** Otherwise each letter that does not fit would make another one. */
  @Test
  void aThrottlerOfDeadLettersDoesNotFeedItself() {
    ActorRef throttler = throttler("1/1s", options.withCapacity(1));
    system.eventStream().subscribe(throttler, AllDeadLetters.class);
    for (String message : List.of("1", "2", "3")) {
      system.deadLetters().tell(message, ActorRef.noSender());
    }
    send(throttler, new SetTarget(target));
    after(5000);
    assertEquals(List.of("DeadLetter 1"), lostTexts(), "what the target got");
  }

  @Test
  void anActorCannotWaitForRoom() {
    for (Overflow waits : List.of(Overflow.BLOCK, Overflow.REJECT)) {
      BatchesTest.assertMistake(
          "overflow of an actor must be DROP_NEWEST, DROP_OLDEST or KEEP_LATEST: " + waits,
          () -> options.withOverflow(waits));
    }
    BatchesTest.assertMistake("capacity must be at least 1: 0", () -> options.withCapacity(0));
  }

  @Test
  void aMessageToAClosedLimiterIsPublished() {
    recordLost();
    Limiter limiter = limiter("1/1s");
    ActorRef throttler = start(ThrottlerActor.props(limiter, options));
    send(throttler, new SetTarget(target), "1", "2");
    limiter.close();
    send(throttler, "3");
    assertEquals(List.of("Dropped 3"), lostTexts());
    stop(throttler);
    assertEquals(List.of("Dropped 3", "DeadLetter 2"), lostTexts());
  }

  @Test
  void anInterruptedThreadLosesNothingAndStaysInterrupted() {
    var queues = LastingQueue.PerActor.<String, String>owning(Limits.parse("1/1s"), options);
    var queue = queues.of("one", Runnable::run, (message, reason) -> lostByQueue.add(message));
    Thread.currentThread().interrupt();
    queue.add("message");
    assertTrue(Thread.interrupted());
    assertEquals(List.of(), lostByQueue);
    assertEquals(List.of("message"), queues.end("one"));
  }

  // ---- restart and stop

  /** Has children that are all restarted when one fails. */
  static final class Parent extends AbstractActor {

    private final Props throttler;
    private final List<ActorRef> children;
    private final CountDownLatch ready;

    Parent(Props throttler, List<ActorRef> children, CountDownLatch ready) {
      this.throttler = throttler;
      this.children = children;
      this.ready = ready;
    }

    @Override
    public void preStart() {
      children.add(getContext().actorOf(throttler));
      children.add(
          getContext()
              .actorOf(
                  Props.create(Failing.class, Failing::new)
                      .withDispatcher(throttler.dispatcher())));
      ready.countDown();
    }

    @Override
    public SupervisorStrategy supervisorStrategy() {
      return new AllForOneStrategy(
          true, DeciderBuilder.matchAny(failure -> SupervisorStrategy.restart()).build());
    }

    @Override
    public Receive createReceive() {
      return receiveBuilder().build();
    }
  }

  private static final class Failing extends AbstractActor {
    @Override
    public Receive createReceive() {
      return receiveBuilder()
          .matchAny(
              message -> {
                throw new IllegalStateException("failed");
              })
          .build();
    }
  }

  @Test
  void aRestartKeepsTheQueueTheTargetAndWhatTheLimitHasCounted() {
    recordLost();
    var children = new ArrayList<ActorRef>();
    Props props =
        ThrottlerActor.props(Limits.parse("2/1s"), options).withDispatcher(ON_THE_CALLING_THREAD);
    start(Props.create(Parent.class, () -> new Parent(props, children, new CountDownLatch(1))));
    ActorRef throttler = children.get(0);
    ActorRef sender = recorder();
    ActorRef echo = start(Props.create(Echo.class, Echo::new));
    send(throttler, new SetTarget(echo));
    for (String message : List.of("1", "2", "3", "4", "5")) {
      throttler.tell(message, sender);
    }
    after(500);
    send(children.get(1), "fail");
    send(children.get(1), "fail");
    after(499);
    assertDelivered("answer to 1@0", "answer to 2@0");
    throttler.tell("6", sender);
    after(1);
    assertEquals(4, delivered.size());
    after(1000);
    assertDelivered(
        "answer to 1@0",
        "answer to 2@0",
        "answer to 3@1000",
        "answer to 4@1000",
        "answer to 5@2000",
        "answer to 6@2000");
    assertEquals(List.of(), lostTexts());
    send(throttler, "7");
    stop(echo); // still watched
    send(throttler, "8");
    after(5000);
    assertEquals(List.of(), lostTexts());
    stop(throttler);
    assertEquals(List.of("DeadLetter 7", "DeadLetter 8"), lostTexts());
  }

  @Test
  void whenItIsStoppedWhatIsLeftBecomesDeadLetters() {
    recordLost();
    Limiter limiter = limiter("1/1s");
    ActorRef throttler = start(ThrottlerActor.props(limiter, options));
    ActorRef sender = recorder();
    send(throttler, new SetTarget(target));
    for (String message : List.of("1", "2", "3")) {
      throttler.tell(message, sender);
    }
    assertEquals(1, limiter.snapshot().waiting());
    stop(throttler);
    assertEquals(List.of("DeadLetter 2", "DeadLetter 3"), lostTexts());
    assertEquals(sender, lost.get(0).sender());
    assertEquals(throttler, lost.get(0).recipient());
    assertEquals(0, limiter.snapshot().waiting());
    assertEquals(0, limiter.snapshot().open());
    assertEquals(0, time.pending());
    after(5000);
    assertDelivered("1@0");
  }

  @Test
  void queuesOfActorsThatAreNoMoreAreForgotten() {
    var queues = LastingQueue.PerActor.<String, String>owning(Limits.parse("1/1s"), options);
    queues.of("one", Runnable::run, (message, reason) -> {}).add("message");
    assertEquals(1, queues.size());
    assertEquals(List.of("message"), queues.end("one"));
    assertEquals(0, queues.size());
    assertEquals(List.of(), queues.end("one"));
  }

  // ---- the target

  @Test
  void aTargetThatHasEndedIsNoTargetAnyMore() {
    recordLost();
    ActorRef throttler = throttler("1/1s");
    ActorRef first = recorder();
    send(throttler, new SetTarget(first), "1", "2");
    stop(first);
    after(5000);
    assertDelivered("1@0");
    assertEquals(0, time.pending());
    send(throttler, new SetTarget(target));
    assertDelivered("1@0", "2@5000");
    assertEquals(List.of(), lostTexts());
  }

  @Test
  void aFormerTargetThatEndsChangesNothing() {
    ActorRef throttler = throttler("1/1s");
    ActorRef former = recorder();
    send(throttler, new SetTarget(former), new SetTarget(target), "1");
    stop(former);
    send(throttler, "2");
    after(1000);
    assertDelivered("1@0", "2@1000");
  }

  @Test
  void aTargetMayBeSetAgain() {
    ActorRef throttler = throttler("1/1s");
    send(throttler, new SetTarget(target), new SetTarget(target), SetTarget.none());
    send(throttler, new SetTarget(target), "1");
    stop(target);
    send(throttler, "2");
    after(1000);
    assertDelivered("1@0");
  }

  // ---- messages

  @Test
  void badValuesAreToldAtConstruction() {
    BatchesTest.assertMistake(
        "a rate must be at least 1 permit: 0",
        () -> new SetRate(Rate.of(0, Duration.ofSeconds(1))));
    BatchesTest.assertMistake("-3", () -> new SetRate(Rate.of(-3, Duration.ofSeconds(1))));
    BatchesTest.assertMistake("must be at least 1ns", () -> new SetRate(Rate.of(3, Duration.ZERO)));
    BatchesTest.assertMistake("0", () -> SetLimit.to("0/1s"));
    BatchesTest.assertMistake("0", () -> ThrottlerActor.props("0/1s"));
  }
}
