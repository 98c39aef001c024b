package dev.pacegate.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Rate;
import org.junit.jupiter.api.Test;

class StretchTest {

  @Test
  void tellsTheBurstItTakesRoundedUp() {
    assertEquals("1.05", burst(2, 95, new Rate(1, 100)));
    assertEquals("20", burst(21, 100, new Rate(1, 100)));
    assertEquals("0", burst(1, 100, new Rate(1, 100)));
    assertEquals("1.334", burst(2, 2, new Rate(1, 3)));
    assertEquals("1.001", burst(2, 999_999_999, new Rate(1, 1_000_000_000)));
    assertEquals("9223372036854775807", burst(Long.MAX_VALUE, 0, new Rate(1, 3)));
  }

  private static String burst(long counted, long nanos, Rate rate) {
    return new Stretch(counted, Long.MAX_VALUE, Long.MAX_VALUE + nanos).burst(rate).toPlainString();
  }

  @Test
  void isEmptyIfNothingWasCounted() {
    assertTrue(Stretch.NONE.isEmpty());
    assertFalse(new Stretch(1, 0, 0).isEmpty());
  }
}
