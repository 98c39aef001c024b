package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.time.ManualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a suspension of the machine is noticed. */
class StandstillTest {

  private static final long MS = 1_000_000;
  private static final long LEAST = 10 * MS;

  private final ManualTime time = ManualTime.manual(5);
  private final Standstill standstill = new Standstill(time, time.nanoTime());

  private void set(Duration span) {
    time.setInstant(time.instant().plus(span));
  }

  private long since() {
    return standstill.since(time.nanoTime(), LEAST);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, Long.MIN_VALUE, -1, Long.MAX_VALUE - 5})
  void aSuspensionIsToldOnce(long origin) {
    ManualTime clocks = ManualTime.manual(origin);
    var noticed = new Standstill(clocks, clocks.nanoTime());
    clocks.advance(Duration.ofMinutes(1));
    assertEquals(0, noticed.since(clocks.nanoTime(), LEAST));
    clocks.setInstant(clocks.instant().plusSeconds(3));
    clocks.advance(Duration.ofMillis(1));
    assertEquals(3000 * MS - 1000, noticed.since(clocks.nanoTime(), LEAST)); // a thousandth off
    clocks.advance(Duration.ofMillis(1));
    assertEquals(0, noticed.since(clocks.nanoTime(), LEAST));
  }

  @Test
  void shortSuspensionsAddUp() {
    long told = 0;
    for (int i = 0; i < 5; i++) {
      time.advance(Duration.ofMillis(1));
      set(Duration.ofMillis(3));
      told = Math.max(told, since());
    }
    assertEquals(12 * MS - 4000, told);
  }

  @Test
  void aClockThatIsSlewedIsNoSuspension() {
    long told = 0;
    for (int i = 0; i < 100_000; i++) {
      time.advance(Duration.ofMillis(20));
      set(Duration.ofNanos(10_000)); // 500 millionths
      told = Math.max(told, since());
    }
    assertEquals(0, told);
  }

  @Test
  void aSuspensionAfterTheClockWasSetBackIsTold() {
    time.advance(Duration.ofSeconds(1));
    set(Duration.ofSeconds(-100));
    assertEquals(0, since());
    time.advance(Duration.ofMillis(1));
    set(Duration.ofSeconds(1));
    assertEquals(1000 * MS - 1000, since());
  }

  @Test
  void aLookIsNotRepeatedAtOnce() {
    time.advance(Duration.ofSeconds(1));
    assertEquals(0, since());
    set(Duration.ofSeconds(1));
    time.advanceNanos(99_999);
    assertEquals(0, since());
    time.advanceNanos(1);
    assertEquals(1000 * MS - 100, since());
  }
}
