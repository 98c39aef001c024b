package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Bucket;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Rate;
import dev.pacegate.pekko.ThrottlerActor.SetLimit;
import dev.pacegate.pekko.ThrottlerActor.SetRate;
import dev.pacegate.pekko.ThrottlerActor.SetTarget;
import dev.pacegate.pekko.ThrottlerActorTest.Auditor;
import java.time.Duration;
import java.util.List;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.Props;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The cases of Akka's {@code TimerBasedThrottler} with {@link ThrottlerActor}: by a strict window,
 * which is what its rate becomes, and by the windows of its own that it had.
 */
class TimerBasedCasesTest extends ActorTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ActorRef target = recorder();

  private ActorRef throttler(String limit) {
    return start(ThrottlerActor.props(Limits.parse(limit), options));
  }

  /** Sends messages with the numbers from {@code first} to {@code last}. */
  private static void send(ActorRef throttler, int first, int last) {
    for (int i = first; i <= last; i++) {
      throttler.tell(String.valueOf(i), ActorRef.noSender());
    }
  }

  private void target(ActorRef throttler) {
    throttler.tell(new SetTarget(target), ActorRef.noSender());
  }

  private static void noTarget(ActorRef throttler) {
    throttler.tell(SetTarget.none(), ActorRef.noSender());
  }

  /** TT-1. */
  @ParameterizedTest
  @ValueSource(strings = {"3/1s", "fixed(3/1s)"})
  void threeOfFiveGoAtOnceAndTwoASecondLater(String limit) {
    ActorRef throttler = throttler(limit);
    target(throttler);
    send(throttler, 1, 5);
    assertDelivered("1@0", "2@0", "3@0");
    after(1000);
    assertDelivered("1@0", "2@0", "3@0", "4@1000", "5@1000");
  }

  /** TT-2. */
  @ParameterizedTest
  @ValueSource(strings = {"3/1s", "fixed(3/1s)"})
  void messagesAreKeptUntilThereIsATarget(String limit) {
    ActorRef throttler = throttler(limit);
    send(throttler, 1, 6);
    after(1000);
    assertDelivered();
    target(throttler);
    after(2000);
    assertDelivered("1@1000", "2@1000", "3@1000", "4@2000", "5@2000", "6@2000");
  }

  /** TT-3 and TT-4. */
  @ParameterizedTest
  @ValueSource(strings = {"3/1s", "fixed(3/1s)", "4/1s", "fixed(4/1s)"})
  void soManyGoInEverySecond(String limit) {
    int rate = limit.contains("3") ? 3 : 4;
    ActorRef throttler = throttler(limit);
    target(throttler);
    send(throttler, 1, 2 * rate + 1);
    for (int second = 1; second <= 2; second++) {
      after(999);
      assertEquals(second * rate, delivered.size());
      after(1);
    }
    assertEquals(2 * rate + 1, delivered.size());
    for (int i = 0; i < delivered.size(); i++) {
      assertEquals((i + 1) + "@" + i / rate * 1000, delivered.get(i));
    }
  }

  /** TT-5 and TT-6: all in order, in 1.5 to 2.5 seconds. */
  @ParameterizedTest
  @ValueSource(strings = {"3/1s", "fixed(3/1s)", "4/1s", "fixed(4/1s)"})
  void twoPeriodsAndOneMoreTakeTwoSeconds(String limit) {
    int all = limit.contains("3") ? 7 : 9;
    ActorRef throttler = throttler(limit);
    target(throttler);
    send(throttler, 1, all);
    while (time.advanceToNext()) {
      assertTrue(time.pending() <= 1, "one appointment at a time");
    }
    assertEquals(all, delivered.size());
    assertEquals(all + "@2000", delivered.get(all - 1));
  }

  /** TT-7. */
  @ParameterizedTest
  @ValueSource(strings = {"3/1s", "fixed(3/1s)"})
  void takingTheTargetAwayPauses(String limit) {
    ActorRef throttler = throttler(limit);
    target(throttler);
    send(throttler, 1, 3);
    noTarget(throttler);
    after(2000);
    assertDelivered("1@0", "2@0", "3@0");
    target(throttler);
    send(throttler, 4, 7);
    after(1500);
    assertEquals(
        List.of("4@2000", "5@2000", "6@2000", "7@3000"), delivered.subList(3, delivered.size()));
  }

  /** TT-13: idle for longer than a period, and yet the next one waited a period. */
  @ParameterizedTest
  @ValueSource(strings = {"3/1s", "fixed(3/1s)"})
  void afterSilenceTheNextGoesAtOnce(String limit) {
    ActorRef throttler = throttler(limit);
    target(throttler);
    send(throttler, 1, 3);
    after(10_000);
    send(throttler, 4, 4);
    assertDelivered("1@0", "2@0", "3@0", "4@10000");
  }

  /** TT-14: without a target, while there was an allowance left, a message lost the queue. */
  @ParameterizedTest
  @ValueSource(strings = {"3/1s", "fixed(3/1s)"})
  void withoutATargetNothingIsLostWhateverAllowanceIsLeft(String limit) {
    recordLost();
    ActorRef throttler = throttler(limit);
    target(throttler);
    send(throttler, 1, 1);
    noTarget(throttler);
    send(throttler, 2, 3);
    after(1000);
    assertEquals(0, time.pending());
    target(throttler);
    assertDelivered("1@0", "2@1000", "3@1000");
    assertEquals(List.of(), lostTexts());
  }

  // ---- the rate that is set

  /** A rate is a strict window. */
  @Test
  void aRateIsKeptInAnySpanOfItsLength() {
    ActorRef throttler = throttler("1/1h");
    throttler.tell(new SetRate(Rate.of(3, SECOND)), ActorRef.noSender());
    target(throttler);
    send(throttler, 1, 1);
    after(900);
    send(throttler, 2, 7);
    after(4100);
    assertDelivered("1@0", "2@900", "3@900", "4@1000", "5@1900", "6@1900", "7@2000");
  }

  /** The same, by the windows of its own: 5 within 100 ms. */
  @Test
  void fixedWindowsLetFiveThroughWithin100Millis() {
    ActorRef throttler = throttler("1/1h");
    throttler.tell(SetLimit.to("fixed(3/1s)"), ActorRef.noSender());
    target(throttler);
    send(throttler, 1, 1);
    after(900);
    send(throttler, 2, 7);
    after(4100);
    assertDelivered("1@0", "2@900", "3@900", "4@1000", "5@1000", "6@1000", "7@2000");
  }

  /** Theirs gave a whole new allowance. */
  @Test
  void anotherRateGivesNoFreeBurst() {
    ActorRef throttler = throttler("3/1s");
    target(throttler);
    send(throttler, 1, 8);
    after(500);
    throttler.tell(new SetRate(Rate.of(4, SECOND)), ActorRef.noSender());
    after(1000);
    assertDelivered("1@0", "2@0", "3@0", "4@500", "5@1000", "6@1000", "7@1000", "8@1500");
  }

  // ---- the normalised variant: one per so many nanoseconds

  /** TT-9, where "3 per 5 s" meant one every 1.67 s: that is a bucket. */
  @Test
  void normalisedOnlyOneGoesBeforeThePause() {
    ActorRef throttler = throttler("bucket(3/5s)");
    target(throttler);
    send(throttler, 1, 3);
    noTarget(throttler);
    after(1700);
    assertDelivered("1@0");
    after(1000);
    assertDelivered("1@0");
    target(throttler);
    send(throttler, 4, 7);
    after(10_500);
    assertDelivered("1@0", "2@2700", "3@4366", "4@6033", "5@7700", "6@9366", "7@11033");
  }

  /** TT-10. */
  @Test
  void normalisedWhatIsQueuedIsKept() {
    ActorRef throttler = throttler("bucket(3/5s)");
    target(throttler);
    send(throttler, 1, 7);
    noTarget(throttler);
    after(2700);
    assertDelivered("1@0");
    target(throttler);
    after(10_500);
    assertEquals(7, delivered.size());
  }

  /** TT-9, TT-10, a difference: what is written as 3 per 5 s lets 3 go. */
  @Test
  void aRateIsNotNormalised() {
    ActorRef throttler = throttler("1/1h");
    throttler.tell(new SetRate(Rate.of(3, Duration.ofSeconds(5))), ActorRef.noSender());
    target(throttler);
    send(throttler, 1, 4);
    after(5000);
    assertDelivered("1@0", "2@0", "3@0", "4@5000");
  }

  /** TT-11: the interval of a rate; rounded up, where theirs is rounded down and so too fast. */
  @ParameterizedTest
  @ValueSource(strings = {"1/1s", "5/1s", "10/10ms", "1/1min", "3/5s"})
  void normalisedTheIntervalIsNeverTooShort(String rate) {
    Limit limit = Limits.parse("bucket(" + rate + ")");
    long[] instants = new long[31];
    var audit = Audit.of(limit);
    var count = new int[1];
    ActorRef recorder =
        start(
            Props.create(
                Auditor.class,
                () ->
                    new Auditor(
                        message -> {
                          audit.add(time.nanoTime());
                          instants[count[0]++] = time.nanoTime();
                        })));
    ActorRef throttler = start(ThrottlerActor.props(limit, options));
    throttler.tell(new SetTarget(recorder), ActorRef.noSender());
    send(throttler, 0, 30);
    while (time.advanceToNext()) {}
    Rate exact = ((Bucket) limit).rate();
    long gap = (exact.nanos() + exact.permits() - 1) / exact.permits();
    for (int i = 0; i <= 30; i++) {
      assertEquals(i * gap, instants[i]);
    }
    assertTrue(audit.verdict().kept(), audit.verdict().text());
  }

  /** TT-12, a difference: 0 per second meant never. Here it is a mistake; take the target away. */
  @Test
  void aRateOfNothingIsAMistake() {
    var mistake = assertThrows(IllegalArgumentException.class, () -> Rate.of(0, SECOND));
    assertTrue(String.valueOf(mistake.getMessage()).contains("at least 1 permit: 0"));
  }
}
