package dev.pacegate.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class TokenLevelTest {

  private static final Rate SEVENTHS = new Rate(7, 1_000_000_000); // T = 142 857 142 6/7 ns

  @Test
  void carriesFractionsIntoTheSlack() {
    var level = new TokenLevel(SEVENTHS, 2, 0, 3_600_000_000_000L, 0);
    for (int i = 0; i < 5; i++) {
      level.take(0, 1, 0);
      assertEquals(0, level.untilHolds(0, 1), "after " + i);
    }
  }

  @Test
  void keepsFractionsForEver() {
    var level = new TokenLevel(SEVENTHS, 1, 0, 0, 0);
    level.take(0, 7_000_000_000L, 0);
    assertEquals(1_000_000_000_000_000_000L, level.untilFull(0));
    level.take(0, 1, 0);
    assertEquals(1_000_000_000_142_857_143L, level.untilFull(0));
    assertEquals(143, level.untilFull(1_000_000_000_142_857_000L));
  }

  @Test
  void nothingGoesMissingWhenTheClockStepsBack() {
    var level = new TokenLevel(SEVENTHS, 2, 0, 0, 1_000_000);
    level.take(1_000_000, 1, 0);
    assertEquals(0, level.untilHolds(0, 1));
    level.take(0, 1, 0);
    assertEquals(142_857_143, level.untilHolds(0, 1));
    assertEquals(142_857_143, level.untilHolds(1_000_000, 1), "time that is gone through twice");
  }
}
