package dev.pacegate.limit;

import static dev.pacegate.limit.Successions.CASES;
import static dev.pacegate.limit.Successions.SECOND;
import static dev.pacegate.limit.Successions.UNANSWERED;
import static dev.pacegate.limit.Successions.any;
import static dev.pacegate.limit.Successions.assertWithin;
import static dev.pacegate.limit.Successions.playAndChange;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What holds across a change from one sliding window to another. */
class WindowSuccessionTest {

  private static final List<String> WINDOWS =
      List.of("10/1m", "1/1s", "3/10s", "100/1m", "2/1s", "7/7s", "20/61s", "1/1m");

  @Test
  void noIntervalHoldsMoreThanTheLargerOfTwoWindows() {
    Seeds.forEach(
        CASES,
        random -> {
          var old = (Window) any(random, WINDOWS);
          var fresh = (Window) any(random, WINDOWS);
          Changing changing = playAndChange(random, old, fresh);
          assertWithin(changing, List.of(old.rate(), fresh.rate()));
        });
  }

  @Test
  void noIntervalHoldsMoreHoweverOftenTwoWindowsTakeTurns() {
    Seeds.forEach(
        CASES / 5,
        random -> {
          var one = (Window) any(random, WINDOWS);
          var other = (Window) any(random, WINDOWS);
          var turns = new Limit[8];
          Arrays.setAll(turns, i -> i % 2 == 0 ? other : one);
          Changing changing = playAndChange(random, one, turns);
          assertWithin(changing, List.of(one.rate(), other.rate()));
        });
  }

  @Test
  void noIntervalHoldsMoreThanTheLargestOfThreeWindows() {
    Seeds.forEach(
        CASES,
        random -> {
          var first = (Window) any(random, WINDOWS);
          var second = (Window) any(random, WINDOWS);
          var third = (Window) any(random, WINDOWS);
          Changing changing = playAndChange(random, first, second, third);
          assertWithin(changing, List.of(first.rate(), second.rate(), third.rate()));
        });
  }

  @Test
  void theOldWindowHoldsNoRequestUpForWhatItAllowedItself() {
    var changing = new Changing(Limits.parse("100/1m"), 0, UNANSWERED);
    assertEquals(50, changing.drain(Cost.ONE, 50));
    changing.change(Limits.parse("1/1s"));
    for (int second = 1; second <= 50; second++) {
      changing.now = second * SECOND;
      assertEquals(1, changing.drain(Cost.ONE, 10), "at " + second);
    }
    changing.now = 51 * SECOND;
    assertEquals(9 * SECOND, changing.ask(Cost.ONE), "a hundred in this minute");
  }
}
