package dev.pacegate.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.spi.Past;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimestampRingTest {

  private static final long SEED = new Random().nextLong();
  private static final long SPAN = 100_000;
  private static final long[] ORIGINS = {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE - 5};

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 15, 16, 17, 100, 1_000, 1_023, 1_024, 2_046, 2_047, 2_048})
  void remembersTheLastUnitsExactly(long keep) {
    for (long origin : ORIGINS) {
      compare(keep, origin);
    }
  }

  /** Compares with a list of instants of which each stands for one unit. */
  private static void compare(long keep, long origin) {
    var random = new Random(SEED);
    var stamps = new TimestampRing(new Rate(keep, SPAN));
    List<Long> all = new ArrayList<>(); // since the origin
    long now = 0;
    for (int step = 0; step < 5_000; step++) {
      now += random.nextInt(5) - 1;
      int units = random.nextInt(8) > 0 ? 1 : random.nextInt(50);
      if (units == 1) {
        stamps.addOne(origin + now, true);
      } else {
        stamps.add(origin + now, units);
      }
      long counted = all.isEmpty() ? now : Math.max(now, all.get(all.size() - 1));
      for (int i = 0; i < units; i++) {
        all.add(counted);
      }
      if (step % 7 == 0 && !all.isEmpty()) {
        int known = (int) Math.min(keep, all.size());
        int back = random.nextInt(known);
        long found = stamps.of(stamps.total() - back) - origin;
        int last = all.size() - 1;
        assertEquals(all.get(last - back), found, () -> "seed " + SEED);
        assertEquals(
            all.size() >= keep, stamps.knows(stamps.total() - keep + 1), () -> "seed " + SEED);
        long instant = counted - random.nextInt(200);
        long after =
            all.subList(all.size() - known, all.size()).stream()
                .filter(stamp -> stamp > instant)
                .count();
        long foundAfter = stamps.after(origin + instant);
        assertEquals(after, foundAfter, () -> "seed " + SEED);
        if (back > 0) {
          assertEquals(foundAfter > back, stamps.moreThan(back, origin + instant + SPAN));
        }
      }
    }
  }

  /** When some are taken back, those before them matter again: twice as many are remembered. */
  @ParameterizedTest
  @ValueSource(longs = {1, 3, 8, 14, 15, 100, 2_046, 2_048})
  void onceSomeAreTakenBackTwiceAsManyAreRemembered(long keep) {
    var stamps = new TimestampRing(new Rate(keep, SPAN));
    for (long i = 1; i <= 5 * keep; i++) {
      stamps.addOne(i, true);
    }
    stamps.remove(5 * keep, 1);
    for (long i = 5 * keep + 1; i <= 7 * keep; i++) {
      stamps.addOne(i, true);
    }
    for (long i = 6 * keep + 1; i <= 7 * keep; i++) {
      stamps.remove(i, 1);
    }
    for (long back = 0; back < keep; back++) {
      assertEquals(6 * keep - back, stamps.of(stamps.total() - back), "keep " + keep);
    }
  }

  /** Taken back in any order, never more is forgotten than was taken back. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 7, 10, 15, 16, 100, 2_046, 2_047, 2_048})
  void takingAStampBackNeverMakesOthersEarlier(long keep) {
    for (long origin : ORIGINS) {
      for (int most : new int[] {1, 5, (int) Math.min(keep, 3_000) + 1}) {
        takeBack(keep, most, origin);
      }
    }
  }

  private static void takeBack(long keep, int most, long origin) {
    var random = new Random(SEED);
    var stamps = new TimestampRing(new Rate(keep, SPAN));
    var all = new ArrayList<long[]>(); // instant, units
    long now = 0;
    for (int step = 0; step < 600; step++) {
      now += random.nextInt(5);
      boolean mixed = step < 300; // then many are added, and then many taken back, and so on
      if (all.isEmpty() || (mixed ? random.nextBoolean() : step / 50 % 2 == 0)) {
        int units = 1 + random.nextInt(most);
        if (units == 1) {
          stamps.addOne(origin + now, true);
        } else {
          stamps.add(origin + now, units);
        }
        all.add(new long[] {now, units});
      } else {
        int recent = Math.min(all.size(), random.nextBoolean() ? 8 : 60);
        long[] one = all.get(all.size() - 1 - random.nextInt(recent));
        long units = random.nextLong() % (one[1] + 1);
        units = Math.abs(units);
        stamps.remove(origin + one[0], units);
        one[1] -= units;
      }
      compare(keep, stamps, all, origin);
    }
  }

  /** The last units are not earlier than they really were. */
  private static void compare(long keep, TimestampRing stamps, List<long[]> all, long origin) {
    long back = 0;
    for (int i = all.size() - 1; i >= 0 && back < keep; i--) {
      long units = Math.min(all.get(i)[1], keep - back);
      back += units;
      if (units > 0) {
        long at = back - 1;
        assertTrue(stamps.knows(stamps.total() - at), () -> "no unit " + at + ", seed " + SEED);
        long found = stamps.of(stamps.total() - at) - origin;
        long real = all.get(i)[0];
        assertTrue(found >= real, () -> found + " < " + real + ", seed " + SEED);
      }
    }
  }

  @Test
  void survivesMoreUnitsThanThereAreNumbers() {
    for (long keep : new long[] {1, 1_000, 2_048}) {
      var stamps = new TimestampRing(new Rate(keep, SPAN));
      for (long i = 1; i <= 100; i++) {
        stamps.add(10 * i, Long.MAX_VALUE);
        stamps.addOne(10 * i + 1, true);
        assertTrue(stamps.knows(stamps.total() - keep + 1));
        assertEquals(10 * i + 1, stamps.of(stamps.total()));
        long oldest = stamps.of(stamps.total() - keep + 1);
        assertEquals(keep == 1 ? 10 * i + 1 : 10 * i, oldest);
      }
    }
  }

  @Test
  void remembersNothingAtFirst() {
    var stamps = new TimestampRing(new Rate(10, SPAN));
    assertFalse(stamps.knows(stamps.total()));
    assertEquals(0, stamps.after(Long.MIN_VALUE));
    stamps.add(5, 0);
    assertFalse(stamps.knows(stamps.total()));
  }

  @Test
  void tellsForgottenUnitsAnIntervalBeforeThoseThatWaitedForThem() {
    var stamps = new TimestampRing(new Rate(3, 10));
    for (long stamp : new long[] {100, 104, 108, 120, 124, 128}) {
      stamps.addOne(stamp, true);
    }
    assertEquals(
        List.of("1 at 125", "1 at 124", "1 at 120", "1 at 118", "1 at 114", "1 at 110"),
        told(stamps, 125));
  }

  @Test
  void tellsForgottenUnitsAsTheyWereIfNoRateBoundsThem() {
    var stamps = new TimestampRing(new Rate(3, 10));
    stamps.addOne(100, true);
    stamps.add(100, 5);
    stamps.addOne(200, true);
    assertEquals(List.of("1 at 150", "1 at 100", "1 at 100", "4 at 100"), told(stamps, 150));
  }

  private static List<String> told(TimestampRing stamps, long now) {
    var told = new ArrayList<String>();
    stamps.recall(now, new Telling(told));
    return told;
  }

  private record Telling(List<String> told) implements Past {
    @Override
    public void started(long instant, long amount) {
      told.add(amount + " at " + instant);
    }

    @Override
    public void ended(long instant, long amount) {
      started(instant, amount);
    }

    @Override
    public void lost(long startedAt, long amount) {
      started(startedAt, amount);
    }

    @Override
    public void supposed(long instant, long amount) {
      started(instant, amount);
    }

    @Override
    public void largest(long amount) {}
  }
}
