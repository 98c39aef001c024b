package dev.pacegate.limit;

import static dev.pacegate.limit.Successions.CASES;
import static dev.pacegate.limit.Successions.KINDS;
import static dev.pacegate.limit.Successions.MINUTE;
import static dev.pacegate.limit.Successions.SECOND;
import static dev.pacegate.limit.Successions.UNANSWERED;
import static dev.pacegate.limit.Successions.any;
import static dev.pacegate.limit.Successions.isWithin;
import static dev.pacegate.limit.Successions.keeps;
import static dev.pacegate.limit.Successions.origin;
import static dev.pacegate.limit.Successions.playAndChange;
import static dev.pacegate.limit.Successions.tell;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What holds across a change to a limit of another kind: no free burst, no debt, no larger promise.
 */
class SuccessionTest {

  @Test
  void anotherKindHoldsOverItsOwnLength() {
    Seeds.forEach(
        CASES,
        random -> {
          Limit old = any(random, KINDS);
          Limit fresh = any(random, KINDS);
          if (!old.getClass().equals(fresh.getClass())) {
            judgeNew(playAndChange(random, old, fresh));
          }
        });
  }

  @Test
  void anotherKindHoldsHoweverManyLimitsWereInForceBefore() {
    Seeds.forEach(
        CASES,
        random -> {
          Limit first = any(random, KINDS);
          Limit second = any(random, KINDS);
          Limit third = any(random, KINDS);
          if (!second.getClass().equals(third.getClass())) {
            judgeNew(playAndChange(random, first, second, third));
          }
        });
  }

  @ParameterizedTest
  @CsvSource({
    "100/1s, 1/1s, 1000/1m",
    "'bucket(100/1s, burst=100)', bucket(1/1s), 1000/1m",
    "'bucket(100/1s, burst=100)', 1/1s, 'bucket(1000/1m, burst=1000)'",
    "100/1s, bucket(1/1s), 1000/1m",
    "100/1s, spacing(1s), 1000/1m"
  })
  void releasesBeforeTwoChangesAreNotForgotten(String first, String second, String third) {
    var changing = new Changing(Limits.parse(first), 0, UNANSWERED);
    for (int s = 0; s < 20; s++) {
      changing.now = s * SECOND;
      changing.drain(Cost.ONE, 1000);
    }
    assertTrue(changing.requests.size() >= 2000);
    changing.change(Limits.parse(second));
    changing.now += SECOND / 2; // the first second still matters
    changing.change(Limits.parse(third));
    int released = changing.drain(Cost.ONE, 2000);
    assertTrue(released <= 40, () -> released + " more");
  }

  /** Judges every interval that ends after the last change, unless what went before broke it. */
  private static void judgeNew(Changing changing) {
    int era = changing.limits.size() - 1;
    Limit limit = changing.limit();
    for (int last = 0; last < changing.requests.size(); last++) {
      if (changing.requests.get(last).era == era) {
        for (int first = 0; first <= last; first++) {
          List<Changing.Request> span = changing.requests.subList(first, last + 1);
          List<Changing.Request> before = span.stream().filter(r -> r.era < era).toList();
          assertTrue(
              isWithin(span, limit) || !keeps(limit, before), () -> span + " of " + tell(changing));
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "10/1m, 10, 1000/1m, 990",
    "10/1m, 10, 10/1m, 0",
    "10/1m, 3, 5/1m, 2",
    "10/1m, 3, 1/1s, 0",
    "100/1m, 50, 'bucket(1/1s, burst=60)', 10",
    "100/1m, 50, 'bucket(1/1s, burst=10)', 0",
    "'bucket(1/1s, burst=10)', 4, 10/1m, 6",
    "'bucket(1/1s, burst=10)', 4, 'concurrent(3)', 3",
    "unlimited, 5, 10/1m, 10",
    "spacing(1s), 1, 5/1s, 4",
    "5/1s, 2, fixed(3/1s), 1",
    "5/1s, 5, fixed(3/1s), 0",
    "fixed(3/1s), 2, 5/1s, 3",
    "fixed(3/1s), 3, 'bucket(1/1s, burst=5)', 2",
    "'bucket(1/1s, burst=5)', 2, fixed(3/1s), 1",
    "fixed(3/1s), 2, concurrent(2), 2",
    "concurrent(2), 2, fixed(3/1s), 1",
    "unlimited, 5, fixed(3/1s), 3",
    "fixed(3/1s), 2, unlimited, 2000",
    "fixed(3/1s), 2, 'fixed(3/1s) & fixed(10/1m)', 1",
    "'fixed(3/1s) & fixed(10/1m)', 2, fixed(9/1m), 7",
    "'fixed(3/1s, of=tokens)', 0, fixed(3/1s), 3",
    "3/1s, 3, spacing(1s), 0"
  })
  void leavesWhatIsLeft(String old, int taken, String fresh, int left) {
    var changing = new Changing(Limits.parse(old), 0, UNANSWERED);
    assertEquals(taken, changing.drain(Cost.ONE, taken));
    changing.change(Limits.parse(fresh));
    assertEquals(left, changing.drain(Cost.ONE, 2000));
  }

  @Test
  void aWindowAtASteadyPaceLeavesABucketNearlyFull() {
    var changing = new Changing(Limits.parse("100/1s"), 0, UNANSWERED);
    for (int i = 0; i < 50; i++) {
      changing.now += 10_000_000;
      assertEquals(0, changing.ask(Cost.ONE));
      changing.release(Cost.ONE);
    }
    changing.change(Limits.parse("bucket(100/1s, burst=100)"));
    assertEquals(99, changing.drain(Cost.ONE, 1000));
  }

  @Test
  void aRequestLargerThanTheBucketCountsInFull() {
    var changing = new Changing(Limits.parse("bucket(1/1m)"), Long.MIN_VALUE, UNANSWERED);
    changing.now = 49 * MINUTE;
    changing.meter.release(Long.MIN_VALUE, Long.MIN_VALUE + 49 * MINUTE, Cost.of(50));
    changing.change(Limits.parse("60/1m"));
    int released = changing.drain(Cost.ONE, 100);
    assertTrue(released <= 10, () -> released + " more");
  }

  /** The bucket owes nothing, but for the minute of the window no more than either allows goes. */
  @Test
  void aBurstOfAWindowIsForgottenWhenItsMinuteIsOver() {
    var changing = new Changing(Limits.parse("1000/1m"), 0, UNANSWERED);
    assertEquals(1000, changing.drain(Cost.ONE, 1000));
    changing.now = 30 * SECOND;
    changing.change(Limits.parse("bucket(1/1s, burst=10)"));
    assertEquals(30 * SECOND, changing.ask(Cost.ONE));
    changing.now = 60 * SECOND;
    assertEquals(10, changing.drain(Cost.ONE, 1000));
  }

  @Test
  void aSlowerBucketAfterABurstOfAWindowIsEmptyNotInDebt() {
    var changing = new Changing(Limits.parse("1000/1m"), 0, UNANSWERED);
    assertEquals(995, changing.drain(Cost.ONE, 995));
    changing.change(Limits.parse("bucket(10/1m, burst=10)"));
    assertEquals(6 * SECOND, changing.ask(Cost.ONE));
  }

  @Test
  void doesNotGrowHoweverOftenItIsChanged() {
    var changing = new Changing(Limits.parse("10/2s"), 0, UNANSWERED);
    for (int i = 0; i < 1000; i++) {
      changing.now += SECOND;
      changing.drain(Cost.ONE, 100);
      changing.change(Limits.parse("10/" + (2000 - i) + "ms"));
    }
    int leaves = changing.meter.leaves().size();
    assertTrue(leaves <= 5, () -> leaves + " meters");
  }

  @Test
  void manyChangesToEverShorterIntervalsLeaveFewMeters() {
    var changing = new Changing(Limits.parse("10/2s"), 0, UNANSWERED);
    for (int i = 1; i <= 500; i++) {
      changing.now += 1_000_000;
      changing.drain(Cost.ONE, 100);
      changing.change(Limits.parse("10/" + (2000 - i) + "ms"));
    }
    int leaves = changing.meter.leaves().size();
    assertTrue(leaves <= 5, () -> leaves + " meters");
  }

  private static final List<String> PARTS =
      List.of(
          "10/1s",
          "200/1m",
          "7/10s",
          "spacing(100ms)",
          "fixed(10/1s)",
          "fixed(30/1m)",
          "concurrent(6)",
          "bucket(3/1s, burst=20)",
          "bucket(1/1m, burst=8, initial=empty)",
          "bucket(3/1s, burst=4, pay=later, debt=9)",
          "warmup(4/1s, over=3s)",
          "peer(10/1s, unanswered=20s)",
          "peer(30/1m, unanswered=20s)",
          "peer(bucket(1/1s, burst=10), unanswered=20s)");

  @Test
  void aChangeToTheSameLimitChangesNothing() {
    Seeds.forEach(
        CASES,
        random -> {
          String text = PARTS.get(random.nextInt(PARTS.size()));
          for (int i = random.nextInt(3); i > 0; i--) {
            text += " & " + PARTS.get(random.nextInt(PARTS.size()));
          }
          Limit limit = Limits.parse(text);
          var changing = new Changing(limit, origin(random), UNANSWERED);
          changing.play(random, 5 + random.nextInt(25));
          var shape = new Shape(limit);
          Cost cost = shape.fitting(random);
          long before = changing.ask(cost);
          changing.change(limit);
          long after = changing.ask(cost);
          assertTrue(after >= before, () -> after + " < " + before + tell(changing));
          if (!text.contains("bucket")) {
            assertEquals(before, after, () -> cost + tell(changing));
          }
        });
  }
}
