package dev.pacegate.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.limit.spi.Meter;
import org.junit.jupiter.api.Test;

/** What no law says of windows of their own. */
class FixedMeterTest {

  private static final long SECOND = 1_000_000_000;
  private static final long ORIGIN = -1;

  private final Meter meter = Limits.parse("fixed(3/1s)").newMeter(ORIGIN);

  private void release(long at, long amount) {
    meter.release(ORIGIN + at, ORIGIN + at, Cost.of(amount));
  }

  private long ask(long at, long amount) {
    return meter.nanosUntil(ORIGIN + at, ORIGIN + at, Cost.of(amount));
  }

  @Test
  void isAtRestWhenItsWindowIsOver() {
    assertEquals(0, meter.restsIn(ORIGIN));
    release(0, 0);
    assertEquals(0, meter.restsIn(ORIGIN), "what costs nothing begins nothing");
    release(0, 1);
    assertEquals(SECOND, meter.restsIn(ORIGIN));
    assertEquals(SECOND - 1, meter.restsIn(ORIGIN + 1));
    assertEquals(0, meter.restsIn(ORIGIN + SECOND));
  }

  @Test
  void anExcessIsTakenFromTheWindowsThatFollow() {
    release(0, 7);
    assertEquals(3 * SECOND, meter.restsIn(ORIGIN));
    assertEquals(2 * SECOND, ask(0, 2));
    assertEquals(3 * SECOND, ask(0, 3));
    release(2 * SECOND, 2);
    assertEquals(SECOND, ask(2 * SECOND, 1));
  }

  /** It was 500 ms further on already: the window lasts until the clock is there again. */
  @Test
  void aClockThatStepsBackGivesNothing() {
    release(SECOND / 2, 2);
    assertEquals(0, ask(0, 1));
    assertEquals(3 * SECOND / 2, ask(0, 2));
    release(0, 1);
    assertEquals(3 * SECOND / 2, ask(0, 1));
  }
}
