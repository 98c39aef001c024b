package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.dispatch.Overflow;
import dev.pacegate.limit.Limits;
import dev.pacegate.pekko.ThrottlerBehavior.Command;
import dev.pacegate.pekko.ThrottlerBehavior.Send;
import dev.pacegate.pekko.ThrottlerBehavior.SetLimit;
import dev.pacegate.pekko.ThrottlerBehavior.SetTarget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.pekko.actor.DeadLetter;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.BehaviorInterceptor;
import org.apache.pekko.actor.typed.DispatcherSelector;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.TypedActorContext;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ThrottlerBehaviorTest extends ActorTest {

  private final ActorRef<String> target = recorder("");

  private <T> ActorRef<T> spawn(Behavior<T> behavior) {
    ActorRef<T> ref =
        Adapter.spawnAnonymous(
            system, behavior, DispatcherSelector.fromConfig(ON_THE_CALLING_THREAD));
    started(Adapter.toClassic(ref));
    return ref;
  }

  private ActorRef<String> recorder(String prefix) {
    return spawn(
        Behaviors.receiveMessage(
            message -> {
              delivered.add(prefix + message + "@" + millis());
              return Behaviors.same();
            }));
  }

  private ActorRef<Command<String>> throttler(String limit) {
    return spawn(ThrottlerBehavior.create(Limits.parse(limit), options));
  }

  private static void send(ActorRef<Command<String>> throttler, String... messages) {
    for (String message : messages) {
      throttler.tell(new Send<>(message));
    }
  }

  private static void stop(ActorRef<?> actor) {
    stop(Adapter.toClassic(actor));
  }

  /** TT-1, TT-3 to TT-6. */
  @ParameterizedTest
  @ValueSource(strings = {"3/1s", "fixed(3/1s)"})
  void threeGoInEverySecond(String limit) {
    var throttler = throttler(limit);
    throttler.tell(new SetTarget<>(target));
    send(throttler, "1", "2", "3", "4", "5", "6", "7");
    after(999);
    assertDelivered("1@0", "2@0", "3@0");
    after(2000);
    assertDelivered("1@0", "2@0", "3@0", "4@1000", "5@1000", "6@1000", "7@2000");
  }

  /** TT-2. */
  @Test
  void messagesAreKeptUntilThereIsATarget() {
    var throttler = throttler("3/1s");
    send(throttler, "1", "2", "3", "4");
    after(1000);
    assertDelivered();
    throttler.tell(new SetTarget<>(target));
    after(1000);
    assertDelivered("1@1000", "2@1000", "3@1000", "4@2000");
  }

  /** TT-7, TT-13, TT-14. */
  @Test
  void takingTheTargetAwayPausesAndLosesNothing() {
    var throttler = throttler("3/1s");
    throttler.tell(new SetTarget<>(target));
    send(throttler, "1");
    throttler.tell(SetTarget.none());
    send(throttler, "2", "3");
    after(10_000);
    assertEquals(0, time.pending());
    throttler.tell(new SetTarget<>(target));
    assertDelivered("1@0", "2@10000", "3@10000");
  }

  @Test
  void aChangedLimitRetimesWhatIsQueued() {
    var throttler = throttler("1/1h");
    throttler.tell(new SetTarget<>(target));
    send(throttler, "1", "2", "3");
    after(400);
    throttler.tell(SetLimit.to("1/1s"));
    after(1600);
    assertDelivered("1@0", "2@1000", "3@2000");
  }

  @Test
  void throttlersOfOneLimiterKeepItTogether() {
    Limiter limiter = limiter("3/1s");
    ActorRef<Command<String>> one = spawn(ThrottlerBehavior.create(limiter, options));
    ActorRef<Command<String>> other = spawn(ThrottlerBehavior.create(limiter, options));
    one.tell(new SetTarget<>(target));
    other.tell(new SetTarget<>(target));
    send(one, "1", "2");
    send(other, "3", "4");
    after(1000);
    assertDelivered("1@0", "2@0", "3@0", "4@1000");
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  void actorsOfOneBehaviorHaveQueuesAndLimitersOfTheirOwn() {
    Behavior<Command<String>> behavior = ThrottlerBehavior.create(Limits.parse("1/1s"), options);
    var one = spawn(behavior);
    var other = spawn(behavior);
    one.tell(new SetTarget<>(target));
    send(one, "1", "2");
    send(other, "3");
    other.tell(new SetTarget<>(target));
    assertDelivered("1@0", "3@0");
    stop(one);
    send(other, "4");
    after(1000);
    assertDelivered("1@0", "3@0", "4@1000");
  }

  @Test
  void aMessageThatDoesNotFitIsPublished() {
    recordLost();
    ActorRef<Command<String>> throttler =
        spawn(
            ThrottlerBehavior.create(
                Limits.parse("1/1s"), options.withCapacity(2).withOverflow(Overflow.DROP_OLDEST)));
    send(throttler, "1", "2", "3");
    assertEquals(List.of("Dropped 1"), lostTexts());
    assertEquals(Adapter.toClassic(throttler), lost.get(0).recipient());
  }

  // ---- restart and stop

  /** Fails on the message "fail". */
  private static final class Failing extends BehaviorInterceptor<Command<String>, Command<String>> {

    @SuppressWarnings("unchecked")
    Failing() {
      super((Class<Command<String>>) (Class<?>) Command.class);
    }

    @Override
    public Behavior<Command<String>> aroundReceive(
        TypedActorContext<Command<String>> context,
        Command<String> message,
        ReceiveTarget<Command<String>> next) {
      if (message.equals(new Send<>("fail"))) {
        throw new IllegalStateException("failed");
      }
      return next.apply(context, message);
    }
  }

  private ActorRef<Command<String>> supervised(SupervisorStrategy strategy) {
    Behavior<Command<String>> behavior = ThrottlerBehavior.create(Limits.parse("2/1s"), options);
    return spawn(
        Behaviors.supervise(Behaviors.intercept(Failing::new, behavior)).onFailure(strategy));
  }

  @Test
  void aRestartKeepsTheQueueTheTargetAndWhatTheLimitHasCounted() {
    recordLost();
    var throttler = supervised(SupervisorStrategy.restart());
    ActorRef<String> first = recorder("first ");
    throttler.tell(new SetTarget<>(first));
    send(throttler, "1", "2", "3", "4", "5");
    after(500);
    send(throttler, "fail", "fail", "6");
    after(499);
    assertDelivered("first 1@0", "first 2@0");
    after(1);
    assertDelivered("first 1@0", "first 2@0", "first 3@1000", "first 4@1000");
    stop(first); // still watched
    after(5000);
    throttler.tell(new SetTarget<>(target));
    assertEquals(List.of("5@6000", "6@6000"), delivered.subList(4, delivered.size()));
    assertEquals(List.of(), lostTexts());
  }

  @Test
  void aFailureThatStopsItMakesDeadLettersOfWhatIsLeft() {
    recordLost();
    var throttler = supervised(SupervisorStrategy.stop());
    send(throttler, "1", "2", "fail");
    assertEquals(List.of("DeadLetter 1", "DeadLetter 2"), lostTexts());
  }

  @Test
  void whenItIsStoppedBeforeItIsMadeAnewWhatIsLeftBecomesDeadLetters() {
    Limiter limiter = limiter("1/1s");
    Behavior<Command<String>> behavior = ThrottlerBehavior.create(limiter, options);
    ActorRef<Command<String>> throttler =
        spawn(
            Behaviors.supervise(Behaviors.intercept(Failing::new, behavior))
                .onFailure(
                    SupervisorStrategy.restartWithBackoff(
                        Duration.ofHours(1), Duration.ofHours(1), 0)));
    throttler.tell(new SetTarget<>(target));
    send(throttler, "1", "2", "3", "fail");
    var letters = new TestKit(system);
    system.eventStream().subscribe(letters.getRef(), DeadLetter.class);
    stop(throttler);
    assertEquals("2", letters.expectMsgClass(DeadLetter.class).message());
    assertEquals("3", letters.expectMsgClass(DeadLetter.class).message());
    assertEquals(0, limiter.snapshot().waiting());
    assertDelivered("1@0");
  }

  @Test
  void whenItIsStoppedWhatIsLeftBecomesDeadLetters() {
    recordLost();
    Limiter limiter = limiter("1/1s");
    ActorRef<Command<String>> throttler = spawn(ThrottlerBehavior.create(limiter, options));
    throttler.tell(new SetTarget<>(target));
    send(throttler, "1", "2", "3");
    stop(throttler);
    assertEquals(List.of("DeadLetter 2", "DeadLetter 3"), lostTexts());
    assertEquals(Adapter.toClassic(throttler), lost.get(0).recipient());
    assertEquals(0, limiter.snapshot().waiting());
    assertEquals(0, limiter.snapshot().open());
    after(5000);
    assertDelivered("1@0");
  }

  // ---- the target

  @Test
  void aTargetThatHasEndedIsNoTargetAnyMore() {
    var throttler = throttler("1/1s");
    ActorRef<String> first = recorder("first ");
    throttler.tell(new SetTarget<>(first));
    throttler.tell(new SetTarget<>(first));
    send(throttler, "1", "2");
    stop(first);
    after(5000);
    assertDelivered("first 1@0");
    throttler.tell(new SetTarget<>(target));
    assertDelivered("first 1@0", "2@5000");
  }

  @Test
  void aFormerTargetThatEndsChangesNothing() {
    var throttler = throttler("1/1s");
    ActorRef<String> former = recorder("former ");
    throttler.tell(new SetTarget<>(former));
    throttler.tell(new SetTarget<>(target));
    send(throttler, "1");
    stop(former);
    send(throttler, "2");
    after(1000);
    assertDelivered("1@0", "2@1000");
  }

  /** A target of a wider type will do. */
  @Test
  void theTargetMayTakeMoreThanTheMessages() {
    var throttler = throttler("1/1s");
    var received = new ArrayList<Object>();
    ActorRef<Object> any =
        spawn(
            Behaviors.receiveMessage(
                message -> {
                  received.add(message);
                  return Behaviors.same();
                }));
    throttler.tell(new SetTarget<>(any));
    send(throttler, "1");
    assertEquals(List.of("1"), received);
    assertTrue(delivered.isEmpty());
  }
}
