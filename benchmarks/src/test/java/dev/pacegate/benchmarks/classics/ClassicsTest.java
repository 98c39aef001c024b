package dev.pacegate.benchmarks.classics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.benchmarks.Text;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClassicsTest {

  /** In real time, so a claim about Guava may fail on a busy machine; it must be there. */
  @Test
  void thePageSaysWhatItMust() throws Exception {
    String page = Classics.page(true);
    for (String must :
        List.of(
            "## Guava's `RateLimiter`",
            "## `throttle` of Akka and Pekko streams",
            "## The actor `TimerBasedThrottler`",
            "### The same",
            "### Better",
            "### Different on purpose",
            "80 000/s",
            "1 000 001/s",
            "warm-up of 999 ns",
            "guava#3552",
            "`bucket(5/1s, burst=5, pay=later, debt=100, initial=empty)`",
            "`warmup(2/1s, over=4s)`",
            "`fixed(3/1s)`")) {
      assertTrue(page.contains(must), () -> "no " + must + " in\n" + page);
    }
    assertFalse(page.contains("null,"), page);
    assertFalse(page.contains("a limit after all"), page);
  }

  @Test
  void casesWithoutRealTimeAlwaysHold() throws InterruptedException {
    var text = new Text();
    new PekkoPart().write(text);
    new ActorPart().write(text);
    assertEquals(0, text.failed(), text::toString);
    assertTrue(text.claims() >= 7, text::toString);
    assertTrue(text.toString().contains("0 250 300"), text::toString);
    assertTrue(text.toString().contains("-9 219 224 073 709 551 616"), text::toString);
  }

  @Test
  void aClaimThatFailsIsPrintedAsSuch() {
    var text = new Text().claim(true, "Good").claim(false, "Bad");
    assertEquals("- Good (confirmed).\n- Bad (**not confirmed**).\n", text.toString());
    assertEquals(2, text.claims());
    assertEquals(1, text.failed());
  }

  @Test
  void onlyLimitsAreRecommended() {
    assertThrows(IllegalArgumentException.class, () -> Text.limit("bucket(5 per second)"));
  }
}
