package dev.pacegate.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimestampRunsTest {

  private static final long SPAN = 1_000_000;

  /** Every unit, in the order of the instants. */
  private static final class Plain {
    private final List<Long> stamps = new ArrayList<>();

    void add(long stamp, long units) {
      int place = stamps.size();
      while (place > 0 && stamps.get(place - 1) - stamp > 0) {
        place--;
      }
      for (long i = 0; i < units; i++) {
        stamps.add(place, stamp);
      }
    }

    /** Returns the instant of the last unit but {@code back}. */
    long stamp(long back) {
      return stamps.get((int) (stamps.size() - 1 - back));
    }

    long after(long instant) {
      return stamps.stream().filter(stamp -> stamp > instant).count();
    }

    int size() {
      return stamps.size();
    }
  }

  /**
   * Compares all units that matter; the runs may be late by {@code tolerance}, and may forget what
   * is older than the span.
   */
  private static void compare(
      TimestampRuns runs, Plain plain, long keep, long now, long tolerance) {
    for (long back = 0; back < Math.min(keep, plain.size()); back++) {
      long unit = runs.total() - back;
      long expected = plain.stamp(back);
      if (runs.knows(unit)) {
        long late = runs.stampOf(unit) - expected;
        assertTrue(late >= 0 && late <= tolerance, back + " back, late by " + late);
      } else {
        assertTrue(
            now - expected >= SPAN, back + " back is forgotten, " + (now - expected) + " old");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 5, 16, 17, 100, 1023, 1024})
  void remembersEveryUnitThatMattersExactly(long keep) {
    Seeds.forEach(
        20,
        random -> {
          var runs = new TimestampRuns(keep, SPAN, 3 * SPAN);
          var plain = new Plain();
          long now = Long.MAX_VALUE - 10 * SPAN;
          for (int i = 0; i < 200; i++) {
            now += random.nextInt(3) == 0 ? 0 : random.nextLong(2 * SPAN / keep + 2);
            long stamp = stamp(now, random);
            long units = 1 + (random.nextInt(4) == 0 ? random.nextLong(keep + 2) : 0);
            runs.add(now, stamp, units);
            plain.add(stamp, units);
            compare(runs, plain, keep, now, 0);
          }
        });
  }

  /** Now, or a little before (a clock that stepped back), or ahead (something lost that ends). */
  private static long stamp(long now, SplittableRandom random) {
    return switch (random.nextInt(6)) {
      case 0 -> now - random.nextLong(SPAN);
      case 1 -> now + random.nextLong(3 * SPAN);
      default -> now;
    };
  }

  @Test
  void keepsWhatIsAheadWhenSomethingOlderComes() {
    var runs = new TimestampRuns(1, SPAN, 3 * SPAN);
    runs.add(0, 100, 1);
    runs.add(0, 50, 1);
    assertEquals(100, runs.stampOf(runs.total()));
  }

  @Test
  void forgetsByTheClockAndNotByWhatIsAhead() {
    long keep = 2000;
    var runs = new TimestampRuns(keep, SPAN, 3 * SPAN);
    long grain = SPAN / 1000;
    long now = 0;
    for (int i = 0; i < 1024; i++) {
      now = i * grain;
      runs.add(now, now, 1);
    }
    runs.add(now, now + 60 * SPAN, 1);
    assertTrue(runs.knows(runs.total() - 900), "forgot what is younger than the span");
    assertTrue(runs.stampOf(runs.total() - 900) >= now - 900 * grain);
  }

  @Test
  void anEndAmongManyToComeIsNotPutOffUntilThose() {
    var runs = new TimestampRuns(2000, SPAN, 3 * SPAN);
    runs.add(0, 0, 1);
    for (int i = 1; i < 1024; i++) {
      runs.add(0, 10 * SPAN + i * SPAN / 100, 1);
    }
    runs.add(SPAN / 500, SPAN / 500, 1);
    assertEquals(2, runs.unitsUntil(SPAN));
  }

  @ParameterizedTest
  @ValueSource(longs = {1025, 2000, 50_000})
  void coarseRunsAreNeverEarlyAndHardlyLate(long keep) {
    long grain = SPAN / 1000;
    Seeds.forEach(
        4,
        random -> {
          var runs = new TimestampRuns(keep, SPAN, 3 * SPAN);
          var plain = new Plain();
          long now = -SPAN;
          for (int i = 0; i < 3000; i++) {
            now += random.nextInt(3) == 0 ? 0 : random.nextLong(1 + SPAN / 500);
            long units = 1 + random.nextLong(keep / 1000 + 1);
            runs.add(now, now, units);
            plain.add(now, units);
            if (i % 100 == 0) {
              compare(runs, plain, keep, now, grain);
            }
          }
        });
  }

  @Test
  void coarseRunsAreNeverEarlyAndHardlyLateWhateverIsLost() {
    long keep = 2000;
    Seeds.forEach(
        4,
        random -> {
          var runs = new TimestampRuns(keep, SPAN, 3 * SPAN);
          var plain = new Plain();
          long now = 0;
          for (int i = 0; i < 4000; i++) {
            now += random.nextLong(SPAN / 1000);
            long stamp = stamp(now, random);
            runs.add(now, stamp, 1);
            plain.add(stamp, 1);
            if (i % 100 == 0) {
              compare(runs, plain, keep, now, 3 * SPAN / 1000);
            }
          }
        });
  }

  @Test
  void anEndIsHardlyLateHoweverMuchIsLost() {
    long tolerance = SPAN / 1000;
    Seeds.forEach(
        4,
        random -> {
          var runs = new TimestampRuns(100_000, SPAN, 50 * SPAN);
          var ends = new Plain();
          long now = 0;
          for (int i = 0; i < 8000; i++) {
            now += random.nextLong(2 * SPAN / 900);
            runs.add(now, now + 20 * SPAN + random.nextLong(30 * SPAN), 1);
            runs.add(now, now, 1);
            ends.add(now, 1);
            if (i % 100 == 0) {
              long instant = now - random.nextLong(SPAN);
              long after = runs.unitsUntil(now + tolerance) - runs.unitsUntil(instant);
              assertTrue(after >= ends.after(instant));
              assertTrue(after <= ends.after(instant - tolerance));
            }
          }
          assertTrue(runs.slots() <= TimestampRuns.MOST_RUNS);
        });
  }

  @Test
  void aSaturatedSenderLosesAThousandthAtMost() {
    long max = 5000;
    var meter = new WindowMeter(new Rate(max, SPAN), Measure.PLAIN);
    long released = 0;
    long now = 0;
    // Unevenly to begin with, then as fast as may be, for ten intervals.
    for (long wait = 0; now <= 10 * SPAN; now += wait) {
      meter.release(now, now, Cost.ONE);
      released++;
      wait = Math.max(now < SPAN ? released * 7 % 300 : 0, meter.nanosUntil(now, now, Cost.ONE));
    }
    assertTrue(released >= 9.99 * max, released + " released");
    assertTrue(released <= 11 * max, released + " released");
  }

  @Test
  void countsMoreThanALongHolds() {
    var runs = new TimestampRuns(10, SPAN, 3 * SPAN);
    for (int i = 0; i < 5; i++) {
      runs.add(i, i, Long.MAX_VALUE);
      runs.add(i, i, Long.MAX_VALUE);
      runs.add(i, i, 3);
      for (long back = 0; back < 10; back++) {
        assertTrue(runs.knows(runs.total() - back));
        assertEquals(i, runs.stampOf(runs.total() - back));
      }
      assertTrue(runs.known() > 0);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {4, 1000, 2000})
  void theSearchFromTheLastPlaceFindsWhatTheSearchOfAllFinds(long keep) {
    Seeds.forEach(
        4,
        random -> {
          var runs = new TimestampRuns(keep, SPAN, 3 * SPAN);
          long now = 0;
          for (int i = 0; i < 8000; i++) {
            now += random.nextLong(SPAN / 500) - (random.nextInt(50) == 0 ? SPAN / 3 : 0);
            if (random.nextInt(4) == 0) {
              runs.take(now - random.nextLong(2 * SPAN), 1 + random.nextLong(5));
            } else {
              runs.add(now, stamp(now, random), 1 + random.nextLong(3));
            }
            assertEquals(runs.unitsUntil(now - SPAN), runs.unitsAged(now - SPAN));
          }
        });
  }

  @Test
  void countsWhatIsNotLaterThanAnInstant() {
    var runs = new TimestampRuns(100, SPAN, 3 * SPAN);
    runs.add(5, 5, 2);
    runs.add(7, 7, 1);
    runs.add(7, 90, 4);
    assertEquals(0, runs.unitsUntil(4));
    assertEquals(2, runs.unitsUntil(5));
    assertEquals(3, runs.unitsUntil(89));
    assertEquals(7, runs.unitsUntil(90));
    assertFalse(runs.knows(0));
  }
}
