package dev.pacegate.limit;

import static dev.pacegate.limit.Successions.CASES;
import static dev.pacegate.limit.Successions.SECOND;
import static dev.pacegate.limit.Successions.UNANSWERED;
import static dev.pacegate.limit.Successions.allowed;
import static dev.pacegate.limit.Successions.any;
import static dev.pacegate.limit.Successions.origin;
import static dev.pacegate.limit.Successions.tell;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What holds across a change from one window of a timer to another. */
@Tag("slow")
class FixedSuccessionTest {

  private static final List<String> FIXED =
      List.of(
          "fixed(3/1s)",
          "fixed(1/1s)",
          "fixed(10/1s)",
          "fixed(4/10s)",
          "fixed(10/7s)",
          "fixed(9/9s)",
          "fixed(10/10s)",
          "fixed(60/1m)",
          "fixed(100/1m)",
          "fixed(1/1m)",
          "fixed(2/13s)");

  /** Windows are filled to their ends, and the next ones at once. */
  @Test
  void anIntervalAcrossAChangeOfFixedLimitsHoldsOneAllowanceMoreAtTheMost() {
    Seeds.forEach(
        CASES / 3,
        random -> {
          var changing = new Changing(any(random, FIXED), origin(random), UNANSWERED);
          saturate(changing, random);
          changing.change(any(random, FIXED));
          saturate(changing, random);
          for (int i = 0; i < 6; i++) {
            changing.awaitAndDrain(Cost.ONE, 200);
          }
          assertNoStretchHoldsMore(changing);
        });
  }

  /** Lets as much as may go through at the ends of windows, and at the beginnings of the next. */
  private static void saturate(Changing changing, SplittableRandom random) {
    long interval = ((Fixed) changing.limit()).rate().nanos();
    for (int windows = random.nextInt(4); windows > 0; windows--) {
      changing.awaitAndDrain(Cost.ONE, random.nextInt(3) == 0 ? 200 : 0);
      changing.now += random.nextBoolean() ? interval - 1 : random.nextLong(interval);
      changing.drain(Cost.ONE, 200);
    }
    if (random.nextBoolean()) {
      changing.awaitAndDrain(Cost.ONE, 200);
    }
    changing.now += random.nextInt(3) == 0 ? random.nextLong(2 * interval) : 0;
  }

  /** Checks every interval, of whatever length, against what any of the limits allows of it. */
  private static void assertNoStretchHoldsMore(Changing changing) {
    List<Changing.Request> all = changing.requests;
    for (int first = 0; first < all.size(); first++) {
      long sum = 0;
      for (int last = first; last < all.size(); last++) {
        sum += all.get(last).cost.amount();
        long length = all.get(last).start - all.get(first).start;
        if (sum > allowedByAny(changing.limits, length)) {
          fail(sum + " in " + all.subList(first, last + 1) + tell(changing));
        }
      }
    }
  }

  private static long allowedByAny(List<Limit> limits, long length) {
    long larger =
        limits.stream().mapToLong(limit -> allowed((Fixed) limit, length)).max().orElseThrow();
    boolean changes = !limits.get(0).equals(limits.get(1));
    return larger
        + (changes
            ? limits.stream().mapToLong(l -> ((Fixed) l).rate().permits()).max().orElseThrow()
            : 0);
  }

  @ParameterizedTest
  @CsvSource({
    // Taken at 0, changed at 500 ms: how many go at once, and when the next one does.
    "fixed(3/1s), 3, fixed(4/1s), 1, 500ms",
    "fixed(4/1s), 4, fixed(3/1s), 0, 500ms",
    "fixed(4/1s), 2, fixed(3/1s), 1, 500ms",
    "fixed(3/1s), 2, fixed(3/1s), 1, 500ms",
    "fixed(3/1s), 3, fixed(3/2s), 0, 1500ms",
    "fixed(3/1s), 1, fixed(3/600ms), 2, 100ms",
    "fixed(3/1s), 3, fixed(3/300ms), 3, 300ms",
    "fixed(30/1m), 20, fixed(1000/1s), 980, 500ms",
    "fixed(3/1s), 0, fixed(5/1s), 5, 1s",
    "fixed(1/1s), 1, fixed(100/1m), 99, 59500ms"
  })
  void theCurrentWindowAndItsCountGoOn(String old, int taken, String fresh, int left, String wait) {
    var changing = new Changing(Limits.parse(old), 0, UNANSWERED);
    assertEquals(taken, changing.drain(Cost.ONE, taken));
    changing.now = SECOND / 2;
    changing.change(Limits.parse(fresh));
    assertEquals(left, changing.drain(Cost.ONE, 1000));
    assertEquals(dev.pacegate.time.Durations.parseNanos(wait), changing.ask(Cost.ONE));
  }

  @Test
  void anExcessOverASmallerWindowGoesToThoseAfterIt() {
    var changing = new Changing(Limits.parse("fixed(100/1m)"), 0, UNANSWERED);
    assertEquals(100, changing.drain(Cost.ONE, 1000));
    changing.change(Limits.parse("fixed(30/1s)"));
    assertEquals(3 * SECOND, changing.ask(Cost.ONE), "ten of the fourth second are used");
    changing.now = 3 * SECOND;
    assertEquals(20, changing.drain(Cost.ONE, 1000));
  }
}
