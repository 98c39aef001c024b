package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How {@link StatusTable} writes spans. */
class StatusTableTest {

  @ParameterizedTest
  @CsvSource({
    "PT0S, 1ms",
    "PT2.57S, 2.5s",
    "PT59.97S, 59.9s",
    "PT9M59.004S, 10m",
    "PT9M58S, 9m58s",
    "PT1H59M59.9S, 2h",
    "PT26H0.1S, 1d2h"
  })
  void theTimeLeftIsRoundedUpToSeconds(Duration span, String text) {
    assertEquals(text, StatusTable.timeLeft(span));
  }
}
