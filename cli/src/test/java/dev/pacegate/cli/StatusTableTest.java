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
    "PT2.5S, 2.5s",
    "PT59.97S, 59.9s",
    "PT9M59.004S, 10m",
    "PT9M58.001S, 9m59s",
    "PT1H59M59.9S, 2h",
    "PT26H0.1S, 1d3h",
    "PT2562047H, 106751d23h"
  })
  void aSpanIsRoundedUpToWhatIsShown(Duration span, String text) {
    assertEquals(text, StatusTable.span(span));
  }
}
