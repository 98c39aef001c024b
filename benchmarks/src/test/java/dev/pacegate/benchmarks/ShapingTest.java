package dev.pacegate.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.benchmarks.Shaping.Row;
import dev.pacegate.benchmarks.Shaping.Sender;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShapingTest {

  /** In real time, so nothing is said of how much is delivered but that no caller gets too much. */
  @Test
  void everySenderSendsAndPacegateKeepsItsLimits() throws InterruptedException {
    var shaping = new Shaping(Duration.ofMillis(100));
    shaping.round(1_000);
    List<Row> rows = shaping.rows();
    assertEquals(List.of(Sender.values()), rows.stream().map(Row::sender).toList());
    for (Row row : rows) {
      assertTrue(row.delivered() > 0, row::toString);
      assertEquals(row.sender().limit == null ? null : Boolean.TRUE, row.kept(), row::toString);
    }
    assertTrue(row(rows, Sender.SPACING).smallestGap() >= 1_000_000, rows::toString);
    assertTrue(row(rows, Sender.BARE).smallestGap() >= 1_000_000, rows::toString);
    assertTrue(row(rows, Sender.BUCKET).burst() <= 5, rows::toString);
    assertTrue(row(rows, Sender.WINDOW).mostInSecond() <= 1_000, rows::toString);
  }

  @Test
  void theBestOfTheRoundsIsDeliveredAndTheWorstIsPromised() {
    var good = new Row(Sender.SPACING, 10, 0.9, 11, 10, 7, 1, true, 0.1);
    var poor = new Row(Sender.SPACING, 10, 0.8, 12, 9, 8, 2, false, 0.2);
    var both = new Row(Sender.SPACING, 10, 0.9, 11, 9, 8, 2, false, 0.1);
    assertEquals(both, good.and(poor));
    assertEquals(both, poor.and(good));
  }

  @Test
  void goalsAreJudgedByWhatWasFound() {
    String text = goals(0.99, 0.98, 0.995, 1_000_000);
    assertEquals(9, text.split("reached", -1).length - 1, text);
    assertMissed("`1000/1s`: 98.99 %", goals(0.98994, 0.98, 0.995, 1_000_000));
    assertMissed("`spacing(1ms)`: 97.99 %", goals(0.99, 0.97994, 0.995, 1_000_000));
    assertMissed("200 us `spacing(1ms)`: 99.49 %", goals(0.99, 0.98, 0.99494, 1_000_000));
    assertMissed("smallest gap 999 999 ns", goals(0.99, 0.98, 0.995, 999_999));
  }

  private static void assertMissed(String goal, String text) {
    assertTrue(
        text.lines().anyMatch(line -> line.contains(goal) && line.contains("**missed.**")), text);
  }

  private static String goals(double enough, double parked, double spinning, long gap) {
    List<Row> rows =
        Arrays.stream(Sender.values())
            .map(
                sender -> {
                  double delivered =
                      switch (sender) {
                        case WINDOW, BUCKET -> enough;
                        case SPACING -> parked;
                        case SPINNING_100, SPINNING_200 -> spinning;
                        default -> 1;
                      };
                  return new Row(sender, 1_000, delivered, gap, gap, 1_000, 1, gap > 999_999, 0);
                })
            .toList();
    return String.join("\n", ShapingText.lines(rows));
  }

  private static Row row(List<Row> rows, Sender sender) {
    return rows.stream().filter(row -> row.sender() == sender).findFirst().orElseThrow();
  }
}
