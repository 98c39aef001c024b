package dev.pacegate.benchmarks.excess;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.benchmarks.Text;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExcessTest {

  @Test
  void thePageSaysWhatItMust() throws InterruptedException {
    String page = Excess.page(true);
    for (String must :
        List.of(
            "## In virtual time",
            "## In real time",
            "| Pacegate `peer(10/1s, unanswered=6s)` | 0 | 10 of 10 |",
            "| Pacegate `peer(bucket(6/1s, burst=4), unanswered=6s)` | 0 |",
            "Bucket4j, refill at intervals",
            "Resilience4j",
            "Guava",
            "Failsafe, bursty",
            "was never refused")) {
      assertTrue(page.contains(must), () -> "no " + must + " in\n" + page);
    }
  }

  @Test
  void virtualTimeIsTheSameEveryTime() {
    var one = new Text();
    new Virtual(true).write(one);
    var other = new Text();
    new Virtual(true).write(other);
    assertEquals(one.toString(), other.toString());
    assertEquals("", one.surprises());
  }

  @Test
  void aSurpriseIsSaid() {
    var text = new Text();
    text.expect(false, "bad");
    assertEquals("- **bad**\n", text.surprises());
  }
}
