package dev.pacegate.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.audit.Audit;
import dev.pacegate.limit.LimitFormatException;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The timer-based throttler of Akka and what it becomes: a {@link Throttler} with {@code fixed}
 * windows, or better with a sliding one. Where both are to do the same, both are tested.
 *
 * <p>Its cases TT-1 to TT-7, its table of states row by row ({@code SetRate} is {@code
 * limiter.setLimit}, {@code SetTarget} is {@code target}), and its bugs (a) to (d), all gone. Not
 * followed are the cases of its normalised variant, which gave up bursts:
 *
 * <ul>
 *   <li>TT-9, TT-10: 3 per 5 s let one go every 1.67 s. Who wants that says {@code spacing} or
 *       {@code bucket}; what is written as 3 per 5 s lets 3 go;
 *   <li>TT-11: a rate became 1 per so many nanoseconds, rounded down, which is too fast. Here it
 *       stays what it was;
 *   <li>TT-12: 0 per second meant never. Here it is a mistake, see {@link
 *       #aRateOfNothingIsAMistakeThatPointsToThePause}.
 * </ul>
 */
class ActorThrottlerTest {

  private final ManualTime time = ManualTime.manual();
  private final List<String> delivered = new ArrayList<>();

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  private Throttler<String> throttler(Limiter limiter) {
    return Throttler.<String>builder(limiter).executor(Runnable::run).build();
  }

  private Throttler<String> throttler(String limit) {
    return throttler(limiter(limit));
  }

  private void deliver(String message) {
    delivered.add(message + "@" + time.nanoTime() / 1_000_000);
  }

  /** Sends messages with the numbers from {@code first} to {@code last}. */
  private static void send(Throttler<String> throttler, int first, int last)
      throws InterruptedException {
    for (int i = first; i <= last; i++) {
      throttler.send(String.valueOf(i));
    }
  }

  private void assertDelivered(String... expected) {
    assertEquals(List.of(expected), delivered);
  }

  private void advanceMillis(long millis) {
    time.advance(Duration.ofMillis(millis));
  }

  // ---- the cases of its test

  /** TT-1. */
  @ParameterizedTest
  @ValueSource(strings = {"fixed(3/1s)", "3/1s"})
  void threeOfFiveGoAtOnceAndTwoASecondLater(String limit) throws InterruptedException {
    Throttler<String> throttler = throttler(limit);
    throttler.target(this::deliver);
    send(throttler, 1, 5);
    assertDelivered("1@0", "2@0", "3@0");
    advanceMillis(1000);
    assertDelivered("1@0", "2@0", "3@0", "4@1000", "5@1000");
    assertEquals(0, time.pending());
  }

  /** TT-2. */
  @ParameterizedTest
  @ValueSource(strings = {"fixed(3/1s)", "3/1s"})
  void messagesAreKeptUntilThereIsATarget(String limit) throws InterruptedException {
    Throttler<String> throttler = throttler(limit);
    send(throttler, 1, 6);
    assertEquals(0, time.pending());
    advanceMillis(1000);
    assertDelivered();
    throttler.target(this::deliver);
    advanceMillis(2000);
    assertDelivered("1@1000", "2@1000", "3@1000", "4@2000", "5@2000", "6@2000");
  }

  /** TT-3. */
  @ParameterizedTest
  @ValueSource(strings = {"fixed(3/1s)", "3/1s"})
  void threeGoInEverySecond(String limit) throws InterruptedException {
    Throttler<String> throttler = throttler(limit);
    throttler.target(this::deliver);
    send(throttler, 1, 7);
    advanceMillis(999);
    assertEquals(3, delivered.size());
    advanceMillis(1000);
    assertEquals(6, delivered.size());
    advanceMillis(1000);
    assertDelivered("1@0", "2@0", "3@0", "4@1000", "5@1000", "6@1000", "7@2000");
  }

  /** TT-4. */
  @ParameterizedTest
  @ValueSource(strings = {"fixed(4/1s)", "4/1s"})
  void fourGoInEverySecond(String limit) throws InterruptedException {
    Throttler<String> throttler = throttler(limit);
    throttler.target(this::deliver);
    send(throttler, 1, 9);
    advanceMillis(999);
    assertEquals(4, delivered.size());
    advanceMillis(1000);
    assertEquals(8, delivered.size());
    advanceMillis(1000);
    assertDelivered("1@0", "2@0", "3@0", "4@0", "5@1000", "6@1000", "7@1000", "8@1000", "9@2000");
  }

  /** TT-5 and TT-6: all of them, in order, within 1.5 to 2.5 seconds. */
  @ParameterizedTest
  @ValueSource(strings = {"fixed(3/1s)", "3/1s", "fixed(4/1s)", "4/1s"})
  void twoPeriodsAndOneMoreTakeTwoSeconds(String limit) throws InterruptedException {
    Throttler<String> throttler = throttler(limit);
    var messages = new ArrayList<String>();
    var instants = new ArrayList<Long>();
    throttler.target(
        message -> {
          messages.add(message);
          instants.add(time.nanoTime());
        });
    int all = limit.contains("3") ? 7 : 9;
    send(throttler, 1, all);
    while (time.advanceToNext()) {
      assertTrue(time.pending() <= 1, "one appointment at a time");
    }
    assertEquals(IntStream.rangeClosed(1, all).mapToObj(String::valueOf).toList(), messages);
    long took = instants.get(all - 1) - instants.get(0);
    assertTrue(took >= 1_500_000_000L && took <= 2_500_000_000L, () -> "took " + took);
  }

  /** TT-7. */
  @ParameterizedTest
  @ValueSource(strings = {"fixed(3/1s)", "3/1s"})
  void takingTheTargetAwayPauses(String limit) throws InterruptedException {
    Throttler<String> throttler = throttler(limit);
    throttler.target(this::deliver);
    send(throttler, 1, 3);
    throttler.target(null);
    advanceMillis(2000);
    assertDelivered("1@0", "2@0", "3@0");
    throttler.target(this::deliver);
    send(throttler, 4, 7);
    advanceMillis(1500);
    assertEquals(
        List.of("4@2000", "5@2000", "6@2000", "7@3000"), delivered.subList(3, delivered.size()));
  }

  /** Instead of TT-12. */
  @Test
  void aRateOfNothingIsAMistakeThatPointsToThePause() {
    for (String nothing : List.of("0/1s", "fixed(0/1s)")) {
      var mistake = assertThrows(LimitFormatException.class, () -> limiter(nothing));
      assertTrue(String.valueOf(mistake.getMessage()).contains("use pause()"), nothing);
    }
  }

  // ---- its bugs

  /** (a), TT-13, X-15: idle for longer than a period, and yet the next one waited a period. */
  @ParameterizedTest
  @ValueSource(strings = {"fixed(3/1s)", "3/1s"})
  void afterSilenceTheNextGoesAtOnce(String limit) throws InterruptedException {
    Throttler<String> throttler = throttler(limit);
    throttler.target(this::deliver);
    send(throttler, 1, 3);
    time.advance(Duration.ofHours(1));
    send(throttler, 4, 4);
    assertDelivered("1@0", "2@0", "3@0", "4@3600000");
  }

  /** (b), TT-14: without a target, while there was an allowance left, a message lost the queue. */
  @ParameterizedTest
  @ValueSource(strings = {"fixed(3/1s)", "3/1s"})
  void withoutATargetNothingIsLostWhateverAllowanceIsLeft(String limit)
      throws InterruptedException {
    Throttler<String> throttler = throttler(limit);
    throttler.target(this::deliver);
    send(throttler, 1, 1);
    throttler.target(null);
    send(throttler, 2, 3);
    advanceMillis(1000);
    assertEquals(2, throttler.queued());
    assertEquals(0, time.pending());
    throttler.target(this::deliver);
    assertDelivered("1@0", "2@1000", "3@1000");
  }

  /** (c): another rate gave a whole new allowance. */
  @ParameterizedTest
  @ValueSource(strings = {"fixed(%d/1s)", "%d/1s"})
  void anotherRateGivesNoFreeBurst(String limit) throws InterruptedException {
    Limiter limiter = limiter(String.format(limit, 3));
    Throttler<String> throttler = throttler(limiter);
    throttler.target(this::deliver);
    send(throttler, 1, 8);
    advanceMillis(500);
    limiter.setLimit(String.format(limit, 4));
    assertDelivered("1@0", "2@0", "3@0", "4@500");
    advanceMillis(1000);
    String last = limit.startsWith("fixed") ? "8@1000" : "8@1500"; // a window of four, or any
    assertEquals(List.of("5@1000", "6@1000", "7@1000", last), delivered.subList(4, 8));
  }

  /** (c), the other way: what is used beyond the smaller allowance is not asked for again. */
  @Test
  void aLowerRateTakesEffectAtOnceAndAsksForNothingBack() throws InterruptedException {
    Limiter limiter = limiter("fixed(4/1s)");
    Throttler<String> throttler = throttler(limiter);
    throttler.target(this::deliver);
    send(throttler, 1, 9);
    limiter.setLimit("fixed(2/1s)");
    advanceMillis(2999);
    assertEquals(List.of("5@1000", "6@1000", "7@2000", "8@2000"), delivered.subList(4, 8));
    assertEquals(8, delivered.size());
  }

  /** (d): the timer ticked on. Here one appointment stands while something waits, else none. */
  @ParameterizedTest
  @ValueSource(strings = {"fixed(1/1s)", "1/1s"})
  void noTimerRunsWhileThereIsNothingToWaitFor(String limit) throws InterruptedException {
    Throttler<String> throttler = throttler(limit);
    throttler.target(this::deliver);
    send(throttler, 1, 1);
    assertEquals(0, time.pending());
    send(throttler, 2, 3);
    assertEquals(1, time.pending());
    throttler.target(null);
    assertEquals(0, time.pending());
  }

  /** Two periods may not meet: never 2n around a tick. Own windows meet, as they say they do. */
  @ParameterizedTest
  @ValueSource(strings = {"fixed(3/1s)", "3/1s"})
  void keepsWhatItPromisesWheneverMessagesCome(String limit) throws InterruptedException {
    var audit = Audit.of(Limits.parse(limit));
    var sliding = Audit.of(Limits.parse("3/1s"));
    Throttler<String> throttler = throttler(limit);
    throttler.target(
        message -> {
          audit.add(time.nanoTime());
          sliding.add(time.nanoTime());
        });
    for (int i = 0; i < 300; i++) {
      throttler.send("message");
      advanceMillis(i * 37 % 500);
    }
    assertTrue(audit.verdict().kept(), audit.verdict().text());
    assertEquals(!limit.startsWith("fixed"), sliding.verdict().kept(), sliding.verdict().text());
  }

  // ---- its table of states: idle

  @ParameterizedTest
  @ValueSource(strings = {"fixed(%d/1s)", "%d/1s"})
  void idleAnotherRateIsInForceWhenTheNextMessagesCome(String limit) throws InterruptedException {
    Limiter limiter = limiter(String.format(limit, 3));
    Throttler<String> throttler = throttler(limiter);
    throttler.target(this::deliver);
    limiter.setLimit(String.format(limit, 2));
    assertEquals(0, time.pending());
    send(throttler, 1, 3);
    assertDelivered("1@0", "2@0");
    time.advance(Duration.ofHours(1));
    limiter.setLimit(String.format(limit, 4)); // idle again: the whole of it
    send(throttler, 4, 8);
    assertEquals(
        List.of("4@3600000", "5@3600000", "6@3600000", "7@3600000"), delivered.subList(3, 7));
    assertEquals(7, delivered.size());
  }

  @ParameterizedTest
  @ValueSource(strings = {"fixed(3/1s)", "3/1s"})
  void idleATargetIsGivenWhatIsQueuedAsFarAsItMay(String limit) throws InterruptedException {
    Throttler<String> throttler = throttler(limit);
    send(throttler, 1, 4);
    throttler.target(this::deliver);
    assertDelivered("1@0", "2@0", "3@0");
    assertEquals(1, time.pending());
  }

  @ParameterizedTest
  @ValueSource(strings = {"fixed(3/1s)", "3/1s"})
  void idleATargetIsOnlyRememberedIfNothingIsQueued(String limit) throws InterruptedException {
    Limiter limiter = limiter(limit);
    Throttler<String> throttler = throttler(limiter);
    throttler.target(this::deliver);
    throttler.target(null);
    throttler.target(this::deliver);
    assertEquals(0, time.pending());
    assertEquals(0, limiter.snapshot().granted());
    advanceMillis(400);
    send(throttler, 1, 1);
    assertDelivered("1@400");
  }

  @ParameterizedTest
  @ValueSource(strings = {"fixed(3/1s)", "3/1s"})
  void idleAMessageWithoutATargetIsQueued(String limit) throws InterruptedException {
    Limiter limiter = limiter(limit);
    Throttler<String> throttler = throttler(limiter);
    send(throttler, 1, 1);
    assertEquals(1, throttler.queued());
    assertEquals(0, limiter.snapshot().granted());
    assertEquals(0, limiter.snapshot().waiting());
    assertEquals(0, time.pending());
  }

  /** And so is in a period that begins then, of which others may use the rest. */
  @ParameterizedTest
  @ValueSource(strings = {"fixed(3/1s)", "3/1s"})
  void idleAMessageIsDeliveredAndBeginsAPeriod(String limit) throws InterruptedException {
    Throttler<String> throttler = throttler(limit);
    throttler.target(this::deliver);
    advanceMillis(400);
    send(throttler, 1, 1);
    advanceMillis(500);
    send(throttler, 2, 4);
    advanceMillis(5000);
    assertDelivered("1@400", "2@900", "3@900", "4@1400");
  }

  // ---- active

  @Test
  void activeAnotherRateGoesOnWithThePeriodAndItsCount() throws InterruptedException {
    Limiter limiter = limiter("fixed(3/1s)");
    Throttler<String> throttler = throttler(limiter);
    throttler.target(this::deliver);
    send(throttler, 1, 9);
    advanceMillis(200);
    limiter.setLimit("fixed(3/500ms)");
    assertEquals(3, delivered.size(), "no new allowance");
    advanceMillis(800);
    assertEquals(
        List.of("4@500", "5@500", "6@500", "7@1000", "8@1000", "9@1000"), delivered.subList(3, 9));
  }

  @ParameterizedTest
  @ValueSource(strings = {"fixed(3/1s)", "3/1s"})
  void activeWithoutATargetNothingGoesAndThePeriodGoesOn(String limit) throws InterruptedException {
    Limiter limiter = limiter(limit);
    Throttler<String> throttler = throttler(limiter);
    throttler.target(this::deliver);
    send(throttler, 1, 4);
    throttler.target(null);
    assertEquals(0, limiter.snapshot().waiting());
    assertEquals(0, time.pending());
    advanceMillis(500);
    throttler.target(this::deliver);
    assertEquals(3, delivered.size(), "the allowance is used up");
    advanceMillis(500);
    assertDelivered("1@0", "2@0", "3@0", "4@1000");
  }

  @ParameterizedTest
  @ValueSource(strings = {"fixed(3/1s)", "3/1s"})
  void activeAnotherTargetGetsWhatFollows(String limit) throws InterruptedException {
    Throttler<String> throttler = throttler(limit);
    throttler.target(this::deliver);
    send(throttler, 1, 4);
    throttler.target(message -> delivered.add(message + " to another"));
    advanceMillis(1000);
    assertDelivered("1@0", "2@0", "3@0", "4 to another");
  }

  @ParameterizedTest
  @ValueSource(strings = {"fixed(3/1s)", "3/1s"})
  void activeAMessageGoesWhileThereIsAnAllowanceAndElseIsQueued(String limit)
      throws InterruptedException {
    Throttler<String> throttler = throttler(limit);
    throttler.target(this::deliver);
    send(throttler, 1, 1);
    advanceMillis(100);
    send(throttler, 2, 2);
    advanceMillis(100);
    send(throttler, 3, 4);
    assertDelivered("1@0", "2@100", "3@200");
    assertEquals(1, throttler.queued());
  }

  /** The period is over, so with a target again the whole allowance is there, and a new period. */
  @ParameterizedTest
  @ValueSource(strings = {"fixed(3/1s)", "3/1s"})
  void atATickWithoutATargetItBecomesIdle(String limit) throws InterruptedException {
    Throttler<String> throttler = throttler(limit);
    throttler.target(this::deliver);
    send(throttler, 1, 7);
    throttler.target(null);
    advanceMillis(1700);
    throttler.target(this::deliver);
    advanceMillis(1000);
    assertDelivered("1@0", "2@0", "3@0", "4@1700", "5@1700", "6@1700", "7@2700");
  }

  @ParameterizedTest
  @ValueSource(strings = {"fixed(3/1s)", "3/1s"})
  void atATickThatFindsNothingItBecomesIdle(String limit) throws InterruptedException {
    Throttler<String> throttler = throttler(limit);
    throttler.target(this::deliver);
    send(throttler, 1, 3);
    assertFalse(time.advanceToNext(), "no tick comes");
    advanceMillis(1300);
    send(throttler, 4, 7);
    advanceMillis(1000);
    assertDelivered("1@0", "2@0", "3@0", "4@1300", "5@1300", "6@1300", "7@2300");
  }

  /** Periods follow each other from the first delivery on; a sliding window looks back instead. */
  @Test
  void atATickThatFindsSomethingTheNextPeriodBegins() throws InterruptedException {
    for (String limit : List.of("fixed(3/1s)", "3/1s")) {
      delivered.clear();
      long began = time.nanoTime() / 1_000_000;
      Throttler<String> throttler = throttler(limit);
      throttler.target(message -> delivered.add(message + "@" + (millis() - began)));
      send(throttler, 1, 1);
      advanceMillis(900);
      send(throttler, 2, 7);
      advanceMillis(4100);
      if (limit.startsWith("fixed")) {
        assertDelivered("1@0", "2@900", "3@900", "4@1000", "5@1000", "6@1000", "7@2000");
      } else {
        assertDelivered("1@0", "2@900", "3@900", "4@1000", "5@1900", "6@1900", "7@2000");
      }
    }
  }

  private long millis() {
    return time.nanoTime() / 1_000_000;
  }

  // ---- and the rest

  @ParameterizedTest
  @ValueSource(strings = {"fixed(1/1s)", "1/1s"})
  void theSenderTravelsInTheEnvelope(String limit) throws InterruptedException {
    Throttler<Envelope<String, List<String>>> throttler =
        Throttler.<Envelope<String, List<String>>>builder(limiter(limit))
            .executor(Runnable::run)
            .build();
    throttler.target(envelope -> envelope.sender().add("answer to " + envelope.message()));
    var sender = new ArrayList<String>();
    throttler.send(new Envelope<>("1", sender));
    assertEquals(List.of("answer to 1"), sender);
  }
}
