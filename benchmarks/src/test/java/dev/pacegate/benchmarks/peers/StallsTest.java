package dev.pacegate.benchmarks.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StallsTest {

  private static final List<Duration> LENGTHS = List.of(Stalls.SHORT, Stalls.LONG, Stalls.SHORT);

  @Test
  void eachBeginsWithABurst() {
    for (long seed = 0; seed < 100; seed++) {
      Map<Integer, Duration> plan = Stalls.plan(LENGTHS, 300, 10, seed);
      assertEquals(3, plan.size(), "seed " + seed);
      assertTrue(
          plan.keySet().stream().allMatch(at -> at > 0 && at < 300 && at % 10 == 0),
          "seed " + seed + ": " + plan);
    }
  }

  @Test
  void theSameSeedIsTheSamePlan() {
    assertEquals(Stalls.plan(LENGTHS, 300, 10, 7), Stalls.plan(LENGTHS, 300, 10, 7));
  }
}
