package dev.pacegate.engine.feedback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The formula of {@link RateSchedule}, by hand and over many schedules. */
class RateScheduleTest {

  private static final long INTERVAL = 1_000;
  private static final long SINCE = 7_000;

  private static RateSchedule schedule(double low, double top, int hold) {
    return new RateSchedule(100, INTERVAL, low, top, hold, SINCE);
  }

  private static double after(RateSchedule schedule, long intervals) {
    return schedule.at(SINCE + intervals * INTERVAL);
  }

  @Test
  void itRecoversThenStaysThenTriesMoreByGrowingSteps() {
    RateSchedule schedule = schedule(42.5, 50, 3);
    double[] expected = {42.5, 45.5, 48.5, 48.5, 48.5, 48.5, 53.5, 66, 97.25, 100, 100};
    for (int k = 0; k < expected.length; k++) {
      assertEquals(expected[k], after(schedule, k), 1e-9, "after " + k);
      assertEquals(expected[k], schedule.at(SINCE + (k + 1) * INTERVAL - 1), 1e-9, "until " + k);
    }
    assertEquals(SINCE + 9 * INTERVAL, schedule.risenAt());
    assertEquals(13 * INTERVAL, schedule.restsIn(SINCE));
    assertEquals(0, schedule.restsIn(SINCE + 13 * INTERVAL));
  }

  @Test
  void itNeverFallsAndEndsAtTheLimit() {
    for (int hold = 0; hold <= 16; hold++) {
      for (double top = 4; top <= 100; top += 3) {
        for (double low = 3; low <= top; low += 7) {
          RateSchedule schedule = schedule(low, top, hold);
          double last = 0;
          for (long now = SINCE - INTERVAL; now <= schedule.restsIn(0); now += INTERVAL / 2) {
            double rate = schedule.at(now);
            assertTrue(rate >= last && rate >= low && rate <= 100, low + " " + top + " at " + now);
            assertEquals(now >= schedule.risenAt(), rate == 100, low + " " + top + " at " + now);
            last = rate;
          }
        }
      }
    }
  }

  @Test
  void aHeldOneStaysAtThePresentRateAndRisesAnew() {
    long now = SINCE + INTERVAL + 1;
    RateSchedule held = schedule(42.5, 50, 3).heldAt(now);
    assertEquals(45.5, held.at(now), 1e-9);
    assertEquals(47, held.at(now + INTERVAL), 1e-9);
    assertEquals(48.5, held.at(now + 2 * INTERVAL), 1e-9);
  }

  @Test
  void itTriesMoreSoonerIfItHasStayedLongEnough() {
    RateSchedule schedule = schedule(42.5, 50, 16);
    long now = SINCE + 12 * INTERVAL;
    assertEquals(48.5, schedule.at(now + INTERVAL), 1e-9);
    assertEquals(53.5, schedule.tryingMore(3, now).at(now + INTERVAL), 1e-9);
    assertEquals(48.5, schedule.tryingMore(3, SINCE).at(SINCE + 5 * INTERVAL), 1e-9);
    long trying = SINCE + 19 * INTERVAL;
    assertSame(schedule, schedule.tryingMore(3, trying));
  }
}
