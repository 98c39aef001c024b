package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Rate;
import dev.pacegate.pekko.ThrottlerActor.SetLimit;
import dev.pacegate.pekko.ThrottlerActor.SetRate;
import dev.pacegate.pekko.ThrottlerActor.SetTarget;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.Dropped;
import org.apache.pekko.actor.Props;
import org.apache.pekko.actor.Status;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.pattern.StatusReply;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Targets that reply, so that limits which count until the answer is in are kept. */
class RepliesTest extends ActorTest {

  private final ThrottlerOptions replying = options.withReplies(Duration.ofSeconds(30));
  private final List<ActorRef> askers = new CopyOnWriteArrayList<>();
  private final ActorRef target = holder();

  /** Records what it is asked, and replies when told to. */
  private final class Holder extends AbstractActor {
    @Override
    public Receive createReceive() {
      return receiveBuilder()
          .matchAny(
              message -> {
                askers.add(getSender()); // first: who awaits the delivery replies to it
                delivered.add(message + "@" + millis());
              })
          .build();
    }
  }

  private ActorRef holder() {
    return start(Props.create(Holder.class, Holder::new));
  }

  /** Returns when the permit has ended: a thread of the JDK's pool brings the reply. */
  private void reply(Limiter limiter, int asked, Object reply) {
    long before = limiter.snapshot().granted() - limiter.snapshot().open();
    askers.get(asked - 1).tell(reply, target);
    await(() -> limiter.snapshot().granted() - limiter.snapshot().open() > before);
  }

  private static void send(ActorRef to, Object... messages) {
    for (Object message : messages) {
      to.tell(message, ActorRef.noSender());
    }
  }

  private ActorRef throttler(Limiter limiter, ThrottlerOptions with) {
    ActorRef throttler = start(ThrottlerActor.props(limiter, with));
    send(throttler, new SetTarget(target));
    return throttler;
  }

  private static void assertQuiet(Limiter limiter) {
    assertEquals(0, limiter.snapshot().open());
    assertEquals(0, limiter.snapshot().waiting());
  }

  // ---- the reply ends the permit

  @Test
  void asManyAreOpenAsTheLimitAllows() {
    Limiter limiter = limiter("concurrent(2)");
    send(throttler(limiter, replying), "1", "2", "3", "4");
    assertDelivered("1@0", "2@0");
    after(5000);
    assertEquals(2, delivered.size());
    reply(limiter, 2, "done");
    await(() -> delivered.size() == 3);
    assertDelivered("1@0", "2@0", "3@5000");
    reply(limiter, 1, "done");
    await(() -> delivered.size() == 4);
    reply(limiter, 3, "done");
    reply(limiter, 4, "done");
    assertDelivered("1@0", "2@0", "3@5000", "4@5000");
    assertQuiet(limiter);
  }

  @Test
  void aMessageIsSpentUntilAnIntervalAfterItsReply() {
    Limiter limiter = limiter("peer(2/1s, margin=0ns)");
    send(throttler(limiter, replying), "1", "2", "3", "4");
    after(700);
    reply(limiter, 1, "done");
    after(300);
    reply(limiter, 2, "done");
    after(699);
    assertDelivered("1@0", "2@0");
    after(1);
    assertDelivered("1@0", "2@0", "3@1700");
    reply(limiter, 3, "done");
    after(300);
    assertDelivered("1@0", "2@0", "3@1700", "4@2000");
    reply(limiter, 4, "done");
    assertQuiet(limiter);
  }

  @Test
  void theSenderGetsTheReply() {
    Limiter limiter = limiter("concurrent(1)");
    ActorRef throttler = throttler(limiter, replying);
    ActorRef sender = recorder();
    throttler.tell("1", sender);
    reply(limiter, 1, "answer");
    askers.get(0).tell("another", target); // comes too late
    await(() -> delivered.size() == 2);
    assertDelivered("1@0", "answer@0");
  }

  // ---- failures

  @Test
  void aFailureIsClassified() {
    Limiter limiter = limiter("peer(1/1s, unanswered=5s, margin=0ns)");
    ActorRef throttler = throttler(limiter, replying);
    ActorRef sender = recorder();
    throttler.tell("1", sender);
    send(throttler, "2");
    reply(limiter, 1, new Status.Failure(new IOException("broken"))); // lost: spent until 5 s
    after(5999);
    await(() -> delivered.size() == 2);
    assertTrue(delivered.get(1).startsWith("Failure(java.io.IOException: broken)"));
    after(1);
    assertEquals("2@6000", delivered.get(2));
    reply(limiter, 2, StatusReply.error(new IllegalArgumentException("refused"))); // an answer
    send(throttler, "3");
    after(1000);
    assertEquals("3@7000", delivered.get(3));
    reply(limiter, 3, "done");
    assertQuiet(limiter);
  }

  static List<Object> errorsInWords() {
    return List.of(
        StatusReply.error("no such number"),
        new Status.Failure(new StatusReply.ErrorMessage("no such number")));
  }

  @ParameterizedTest
  @MethodSource("errorsInWords")
  void anErrorInWordsIsAnAnswer(Object error) {
    Limiter limiter = limiter("peer(1/1s, unanswered=5s, margin=0ns)");
    ActorRef throttler = throttler(limiter, replying);
    ActorRef sender = recorder();
    throttler.tell("1", sender);
    send(throttler, "2");
    reply(limiter, 1, error);
    after(1000);
    await(() -> delivered.size() == 3); // with the reply, which the sender gets
    assertTrue(delivered.contains("2@1000"), delivered::toString);
    reply(limiter, 2, "done");
    assertQuiet(limiter);
  }

  @Test
  void aFailureIsNoDrop() {
    recordLost();
    Limiter limiter = limiter("concurrent(1)");
    send(throttler(limiter, replying), "1");
    reply(limiter, 1, new Status.Failure(new IOException("broken")));
    assertEquals(List.of(), lostTexts());
  }

  @Test
  void withoutAReplyItIsLostInTime() {
    Limiter limiter = limiter("concurrent(1)");
    long began = System.nanoTime();
    send(throttler(limiter, options.withReplies(Duration.ofMillis(100))), "1", "2");
    assertEquals("1@0", delivered.get(0));
    await(() -> limiter.snapshot().granted() == 2); // by Pekko's timer, which is a real one
    assertTrue(System.nanoTime() - began >= 100_000_000);
    await(() -> limiter.snapshot().open() == 0);
    assertEquals(0, limiter.snapshot().waiting());
  }

  static void await(BooleanSupplier condition) {
    for (int i = 0; i < 30_000 && !condition.getAsBoolean(); i++) {
      LockSupport.parkNanos(1_000_000); // for another thread, which no virtual time moves
    }
    assertTrue(condition.getAsBoolean());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theEndOfATargetLosesItsMessages(boolean former) {
    Limiter limiter = limiter("peer(2/1s, unanswered=3s, margin=0ns)");
    ActorRef throttler = throttler(limiter, replying);
    ActorRef next = recorder();
    send(throttler, "1", "2", "3");
    if (former) {
      send(throttler, new SetTarget(next));
    }
    stop(target);
    assertEquals(0, limiter.snapshot().open());
    if (!former) {
      send(throttler, new SetTarget(next));
    }
    after(3999);
    assertDelivered("1@0", "2@0");
    after(1);
    assertDelivered("1@0", "2@0", "3@4000");
    stop(next);
    assertQuiet(limiter);
  }

  @Test
  void aTargetThatIsNoMoreLosesWhatItIsSent() {
    Limiter limiter = limiter("concurrent(1)");
    stop(target);
    send(throttler(limiter, replying), "1");
    assertQuiet(limiter);
  }

  @Test
  void permitsOutliveTheActor() {
    Limiter limiter = limiter("concurrent(1)");
    ActorRef throttler = throttler(limiter, replying);
    send(throttler, "1", "2");
    stop(throttler);
    assertEquals(1, limiter.snapshot().open());
    reply(limiter, 1, "done");
    assertQuiet(limiter);
  }

  // ---- limits that need replies are refused without

  @ParameterizedTest
  @ValueSource(
      strings = {"peer(10/1s)", "concurrent(1)", "10/1s & concurrent(4)", "aligned(10/1m)"})
  void aLimitThatNeedsRepliesIsRefused(String limit) {
    assertRefused(limit, () -> ThrottlerActor.props(limit));
    assertRefused(limit, () -> ThrottlerActor.props(Limiter.of(limit), options));
    assertRefused(limit, () -> ThrottlerBehavior.create(limit));
    assertRefused(limit, () -> ThrottlerBehavior.create(Limiter.of(limit), options));
    assertFalse(ThrottlerActor.props(Limits.parse(limit), replying).toString().isEmpty());
  }

  private static void assertRefused(String limit, Runnable construction) {
    var refused = assertThrows(IllegalArgumentException.class, construction::run);
    assertTrue(
        String.valueOf(refused.getMessage())
            .startsWith(Limits.parse(limit) + " counts a message until it is"),
        refused::toString);
  }

  @ParameterizedTest
  @CsvSource({"100/1s, peer(1/1s) & concurrent(1)", "concurrent(1), 100/1s"})
  void theLimitsOfAKeyAndOfAllKeysAreRefused(String perKey, String all) {
    try (KeyedLimiter<String> keyed = KeyedLimiter.builder(perKey).within(all).build()) {
      Limiter limiter = keyed.limiter("a");
      String refused = all.equals("100/1s") ? perKey : all;
      assertRefused(refused, () -> ThrottlerActor.props(limiter, options));
      assertRefused(refused, () -> ThrottlerBehavior.create(limiter, options));
      assertFalse(ThrottlerActor.props(limiter, replying).toString().isEmpty());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1/1h of tokens, 100/1s",
    "10/1s & 1/1h of tokens, unlimited",
    "1/1s, 9/1h of tokens"
  })
  void aLimitOfACostThatNoMessageHasIsRefused(String text, String all) {
    String named = text.contains("tokens") ? text : all;
    String message =
        "no message has a cost of tokens: " + Limits.parse(named) + " cannot be kept by an actor";
    BatchesTest.assertMistake(message, () -> ThrottlerActor.props(Limits.parse(named), replying));
    BatchesTest.assertMistake(message, () -> ThrottlerBehavior.create(named));
    try (KeyedLimiter<String> keyed = KeyedLimiter.builder(text).within(all).build()) {
      BatchesTest.assertMistake(message, () -> ThrottlerActor.props(keyed.limiter("a"), options));
    }
  }

  @Test
  void aChangeToALimitThatNeedsRepliesIsRefused() {
    recordLost();
    Limiter limiter = limiter("1/1s");
    ActorRef throttler = throttler(limiter, options);
    send(throttler, "1", SetLimit.to("concurrent(1)"), "2");
    assertEquals(Limits.parse("1/1s"), limiter.limit());
    after(1000);
    assertDelivered("1@0", "2@1000");
    assertEquals(1, lost.size());
    assertEquals(SetLimit.to("concurrent(1)"), lost.get(0).message());
    send(throttler, new SetRate(Rate.of(2, Duration.ofSeconds(1))));
    assertEquals(Limits.parse("2/1s"), limiter.limit());
  }

  @Test
  void withRepliesAnyLimitMayCome() {
    Limiter limiter = limiter("1/1s");
    ActorRef throttler = throttler(limiter, replying);
    send(throttler, SetLimit.to("concurrent(1)"), "1", "2");
    assertDelivered("1@0");
    reply(limiter, 1, "done");
    await(() -> delivered.size() == 2);
    assertDelivered("1@0", "2@0");
    reply(limiter, 2, "done");
    assertQuiet(limiter);
  }

  @ParameterizedTest
  @CsvSource({"0, 0s", "-1, -1ms", "8726400000, 101d"})
  void repliesComeWithinARange(long millis, String told) {
    BatchesTest.assertMistake(
        "replies must come within 1ms to 100d: " + told,
        () -> options.withReplies(Duration.ofMillis(millis)));
  }

  // ---- typed

  private record Question(String text, org.apache.pekko.actor.typed.ActorRef<Object> replyTo) {}

  private org.apache.pekko.actor.typed.ActorRef<ThrottlerBehavior.Command<String>> typed(
      Limiter limiter, ThrottlerOptions with) {
    var throttler =
        Adapter.spawnAnonymous(
            system,
            ThrottlerBehavior.<String>create(limiter, with),
            org.apache.pekko.actor.typed.DispatcherSelector.fromConfig(ON_THE_CALLING_THREAD));
    started(Adapter.toClassic(throttler));
    return throttler;
  }

  @Test
  void aTypedTargetRepliesToTheAddressItIsGiven() {
    Limiter limiter = limiter("concurrent(1)");
    var throttler = typed(limiter, replying);
    var asked = new CopyOnWriteArrayList<Question>();
    ActorRef typedTarget = start(Props.create(Asked.class, () -> new Asked(asked)));
    throttler.tell(
        new ThrottlerBehavior.AskTarget<>(Adapter.<Question>toTyped(typedTarget), Question::new));
    for (String text : List.of("1", "2", "3")) {
      throttler.tell(new ThrottlerBehavior.Send<>(text));
    }
    assertEquals(1, asked.size());
    asked.get(0).replyTo().tell("done");
    await(() -> asked.size() == 2);
    stop(typedTarget);
    assertEquals(0, limiter.snapshot().open());
    assertEquals(List.of("1", "2"), asked.stream().map(Question::text).toList());
    stop(Adapter.toClassic(throttler));
    assertQuiet(limiter);
  }

  static List<Throwable> failures() {
    return List.of(
        new IllegalStateException("cannot encode"),
        new CompletionException(new IOException("cannot encode")),
        new CancellationException("cannot encode"),
        new StackOverflowError("cannot encode"));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void aQuestionThatFailsIsDroppedAndCostsNothing(Throwable failure) {
    assertDropsAndGoesOn(
        text -> {
          throw sneaky(failure);
        },
        String.valueOf(failure));
  }

  @Test
  void noQuestionIsDroppedAndCostsNothing() {
    assertDropsAndGoesOn(text -> null, "java.lang.NullPointerException: no question");
  }

  @SuppressWarnings("unchecked")
  private static <X extends Throwable> RuntimeException sneaky(Throwable failure) throws X {
    throw (X) failure;
  }

  private void assertDropsAndGoesOn(Function<String, @Nullable Question> bad, String reason) {
    recordLost();
    Limiter limiter = limiter("peer(1/1s, margin=0ns) & concurrent(1)");
    var throttler = typed(limiter, replying);
    var asked = new CopyOnWriteArrayList<Question>();
    ActorRef typedTarget = start(Props.create(Asked.class, () -> new Asked(asked)));
    throttler.tell(
        new ThrottlerBehavior.AskTarget<String, Question, Object>(
            Adapter.toTyped(typedTarget),
            (text, replyTo) -> text.equals("bad") ? bad.apply(text) : new Question(text, replyTo)));
    for (String text : List.of("bad", "2", "bad")) {
      throttler.tell(new ThrottlerBehavior.Send<>(text));
    }
    assertEquals(List.of("2"), asked.stream().map(Question::text).toList());
    assertEquals(List.of("Dropped bad"), lostTexts());
    assertEquals(reason, ((Dropped) lost.get(0)).reason());
    asked.get(0).replyTo().tell("done");
    await(() -> limiter.snapshot().open() == 0);
    after(1000);
    await(() -> lost.size() == 2);
    assertEquals(List.of("Dropped bad", "Dropped bad"), lostTexts());
    assertQuiet(limiter);
  }

  private static final class Asked extends AbstractActor {

    private final List<Question> asked;

    Asked(List<Question> asked) {
      this.asked = asked;
    }

    @Override
    public Receive createReceive() {
      return receiveBuilder().match(Question.class, asked::add).build();
    }
  }

  @Test
  void aTypedTargetIsSetAsTheOptionsSay() {
    recordLost();
    var replies = typed(limiter("concurrent(1)"), replying);
    var plain = typed(limiter("1/1s"), options);
    replies.tell(new ThrottlerBehavior.SetTarget<String>(Adapter.toTyped(target)));
    plain.tell(new ThrottlerBehavior.AskTarget<>(Adapter.<Question>toTyped(target), Question::new));
    plain.tell(ThrottlerBehavior.SetLimit.to("peer(1/1s)"));
    replies.tell(new ThrottlerBehavior.Send<>("1"));
    plain.tell(new ThrottlerBehavior.Send<>("2"));
    assertEquals(3, lost.size());
    assertDelivered();
  }
}
