package dev.pacegate.limit;

import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** The laws of calendar limits that are slow to test, on fewer cases. */
@ParameterizedClass
@ValueSource(
    strings = {
      "aligned(7/2h, zone=Europe/Berlin, margin=5m, unanswered=1h)",
      "aligned(5/1mo, zone=America/New_York, at=15-09:30)",
      "aligned(10/1m) & bucket(2/1s, burst=3)"
    })
class SlowMeterLawsTest extends MeterLaws {
  SlowMeterLawsTest(String limit) {
    super(limit, 60);
  }
}
