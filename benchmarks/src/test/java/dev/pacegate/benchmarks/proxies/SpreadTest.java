package dev.pacegate.benchmarks.proxies;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class SpreadTest {

  @Test
  void tellsTheMedianAndTheRange() {
    assertEquals("2 (1 to 9)", new Spread(List.of(9.0, 1.0, 2.0)).told("%.0f"));
  }

  @Test
  void theMedianOfAnEvenNumberIsBetweenTwo() {
    assertEquals(2.5, new Spread(List.of(9.0, 1.0, 2.0, 3.0)).median());
  }
}
