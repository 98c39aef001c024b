package dev.pacegate.benchmarks.streams;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.benchmarks.PekkoStream;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** In real time, so nothing is said of how much is delivered but that no caller gets too much. */
class StreamsTest {

  @Test
  void everyStreamIsMeasuredAndPacegateKeepsItsLimits() throws InterruptedException {
    var rates = new Rates(Duration.ofMillis(100));
    rates.round(1_000);
    List<Rates.Row> rows = rates.rows();
    assertEquals(List.of(Sender.values()), rows.stream().map(Rates.Row::sender).toList());
    for (Rates.Row row : rows) {
      assertTrue(row.delivered() > 0, row::toString);
      Boolean kept = row.sender().limit(1_000) == null ? null : Boolean.TRUE;
      assertEquals(kept, row.kept(), row::toString);
    }

    var passThrough = new PassThrough(1_000);
    try (var pekko = new PekkoStream()) {
      passThrough.round(pekko);
    }
    var idleness = new Idleness(3, Duration.ofMillis(20));
    idleness.measure();
    String page = new StreamsText(rates, passThrough, idleness).page(Duration.ofSeconds(1));
    for (String must :
        List.of(
            "Reactor `delayElements`",
            "Pekko `throttle`, burst 5",
            "limits broken by the permits' instants, at any rate: 0 (confirmed).",
            "times the stream with Pekko's own `throttle`",
            "Pacegate in Reactor, an element waits for an hour")) {
      assertTrue(page.contains(must), () -> "no " + must + " in\n" + page);
    }
  }

  @Test
  void theBestOfTheRoundsIsDeliveredAndTheWorstIsPromised() {
    var good = new Rates.Row(Sender.STAGE_SPACING, 10, 0.9, 10, 7, 1, true, 0.1);
    var poor = new Rates.Row(Sender.STAGE_SPACING, 10, 0.8, 9, 8, 2, false, 0.2);
    var both = new Rates.Row(Sender.STAGE_SPACING, 10, 0.9, 9, 8, 2, false, 0.1);
    assertEquals(both, good.and(poor));
    assertEquals(both, poor.and(good));
  }
}
