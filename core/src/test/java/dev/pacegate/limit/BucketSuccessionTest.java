package dev.pacegate.limit;

import static dev.pacegate.limit.Successions.CASES;
import static dev.pacegate.limit.Successions.UNANSWERED;
import static dev.pacegate.limit.Successions.any;
import static dev.pacegate.limit.Successions.isWithin;
import static dev.pacegate.limit.Successions.playAndChange;
import static dev.pacegate.limit.Successions.tell;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What holds across a change from one bucket to another. */
class BucketSuccessionTest {

  private static final List<String> BUCKETS =
      List.of(
          "bucket(1/1s, burst=10)",
          "bucket(10/1s, burst=4)",
          "bucket(1/1m, burst=3)",
          "bucket(7/1s)",
          "bucket(1/1s, burst=4, slack=500ms)",
          "bucket(3/1s, burst=20, initial=empty)",
          "bucket(100/1s, burst=100)",
          "bucket(2/1s, burst=3, pay=later)",
          "bucket(10/1s, burst=10, pay=later, debt=2)",
          "bucket(1/2s, pay=later, debt=30, slack=300ms)");

  @Test
  void noSpanHoldsMoreThanTheLargerOfTwoBuckets() {
    Seeds.forEach(
        CASES,
        random -> {
          var old = (Bucket) any(random, BUCKETS);
          var fresh = (Bucket) any(random, BUCKETS);
          Changing changing = playAndChange(random, old, fresh);
          for (int first = 0; first < changing.requests.size(); first++) {
            for (int last = first; last < changing.requests.size(); last++) {
              List<Changing.Request> span = changing.requests.subList(first, last + 1);
              assertTrue(isWithin(span, old) || isWithin(span, fresh), () -> span + tell(changing));
            }
          }
        });
  }

  @ParameterizedTest
  @CsvSource({
    // What is left stays, up to what the new one holds; what is missing is no debt.
    "'bucket(100/1s, burst=100)', 100, 'bucket(10/1s, burst=10)', 0, 100ms",
    "'bucket(100/1s, burst=100)', 85, 'bucket(10/1s, burst=10)', 10, 100ms",
    "'bucket(100/1s, burst=100)', 95, 'bucket(10/1s, burst=10)', 5, 100ms",
    "'bucket(1000/1s, burst=1000)', 1000, 'bucket(1/1s)', 0, 1s",
    "'bucket(10/1s, burst=10)', 4, 'bucket(10/1s, burst=100)', 6, 100ms",
    "'bucket(10/1s, burst=10)', 4, 'bucket(10/1s, burst=10)', 6, 100ms",
    // A smaller bucket that refills faster owes the difference: 10 and then 10/s would be too much.
    "'bucket(1/1s, burst=10)', 10, 'bucket(10/1s, burst=4)', 0, 700ms",
    "'bucket(1/1s, burst=10)', 0, 'bucket(10/1s, burst=4)', 4, 100ms"
  })
  void aBucketTakesOverItsLevel(String old, int taken, String fresh, int left, String wait) {
    var changing = new Changing(Limits.parse(old), 0, UNANSWERED);
    assertEquals(taken, changing.drain(Cost.ONE, taken));
    changing.change(Limits.parse(fresh));
    assertEquals(left, changing.drain(Cost.ONE, 1000));
    assertEquals(dev.pacegate.time.Durations.parseNanos(wait), changing.ask(Cost.ONE));
  }
}
