package dev.pacegate.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RecentRunsTest {

  private static final long SPAN = 1_000_000;
  private static final long KEEP = 50_000;
  private static final long[] ORIGINS = {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE - 5};

  private static RecentRuns runs() {
    return new RecentRuns(new Rate(KEEP, SPAN));
  }

  /** What was released and is not taken back: an instant since the origin, and how many units. */
  private static final class Plain {
    private final List<long[]> all = new ArrayList<>();

    void add(long at, long units) {
      all.add(new long[] {at, units});
    }

    /** Returns the latest, one that is young enough to matter now and then. */
    long[] recent(SplittableRandom random) {
      return all.get(all.size() - 1 - random.nextInt(Math.min(all.size(), 400)));
    }

    long after(long instant) {
      return all.stream().filter(one -> one[0] > instant).mapToLong(one -> one[1]).sum();
    }
  }

  /** Any instant that matters: as many units came after it as the runs say, or a little before. */
  private static void compare(RecentRuns runs, Plain plain, long origin, long now, long late) {
    for (int i = 0; i <= 16; i++) {
      long instant = now - i * SPAN / 16;
      long found = runs.after(origin + instant);
      assertTrue(found >= plain.after(instant), () -> "forgot some of those after " + instant);
      assertTrue(found <= plain.after(instant - late), () -> "late, after " + instant);
    }
  }

  @Test
  void remembersAThousandInstantsExactly() {
    play(1 + 2 * SPAN / 1024, 0, true);
  }

  @Test
  void isHardlyLateWhenThereAreMore() {
    play(1 + SPAN / 5000, SPAN / 1000, true);
    play(1 + SPAN / 900, SPAN / 1000, true);
  }

  @Test
  void isHardlyLateWhenManyShareARun() {
    play(1 + SPAN / 100_000, SPAN / 1000, false);
  }

  private static void play(long gap, long late, boolean takeBack) {
    Seeds.forEach(
        2,
        random -> {
          for (long origin : ORIGINS) {
            play(origin, gap, late, takeBack, random);
          }
        });
  }

  private static void play(
      long origin, long gap, long late, boolean takeBack, SplittableRandom random) {
    RecentRuns runs = runs();
    var plain = new Plain();
    long now = 0;
    for (int i = 0; i < 6000; i++) {
      now += random.nextInt(4) == 0 ? 0 : gap + random.nextLong(gap);
      long units = random.nextInt(3) > 0 ? 1 : random.nextLong(20);
      if (units == 1) {
        runs.addOne(origin + now, true);
      } else {
        runs.add(origin + now, units);
      }
      plain.add(now, units);
      if (takeBack && random.nextInt(3) == 0) {
        long[] one = plain.recent(random);
        long back = random.nextLong(one[1] + 1);
        runs.remove(origin + one[0], back);
        one[1] -= back;
      }
      if (i % 200 == 0) {
        compare(runs, plain, origin, now, late);
      }
    }
    assertTrue(runs.slots() <= RecentRuns.MOST_RUNS, () -> runs.slots() + " slots");
  }

  @Test
  void needsLittleMemoryWhileThereIsLittleToRemember() {
    RecentRuns runs = runs();
    for (int i = 0; i < 4; i++) {
      runs.add(i, KEEP);
    }
    assertEquals(4, runs.slots());
  }

  /** Densely and sparsely by turns, so that exact and shared runs are mixed. */
  @Test
  void neverNeedsMoreThanItsMemory() {
    Seeds.forEach(
        20,
        random -> {
          RecentRuns runs = runs();
          long now = 0;
          for (int i = 0; i < 30; i++) {
            long gap = 1 + random.nextLong(1 + SPAN / (100 << random.nextInt(10)));
            for (int j = random.nextInt(2500); j > 0; j--) {
              now += gap;
              runs.addOne(now, true);
            }
          }
          assertTrue(runs.slots() <= RecentRuns.MOST_RUNS, () -> runs.slots() + " slots");
        });
  }

  @Test
  void aClockThatStepsBackMakesNothingEarlier() {
    RecentRuns runs = runs();
    runs.add(100, 3);
    runs.add(50, 2);
    runs.addOne(40, true);
    assertEquals(6, runs.after(99));
    assertEquals(100, runs.latest(60));
    runs.remove(50, 2);
    assertTrue(runs.after(99) >= 4);
  }

  @Test
  void removingAForgottenRunTakesNothingFromOthers() {
    RecentRuns runs = runs();
    runs.add(0, 5);
    runs.add(3 * SPAN, 7);
    runs.add(3 * SPAN + 1, 7);
    runs.add(3 * SPAN + 2, 7);
    runs.remove(0, 5);
    assertEquals(21, runs.after(2 * SPAN));
    runs.remove(3 * SPAN - 5_000, 5);
    assertEquals(21, runs.after(2 * SPAN), "nothing was released then");
    assertFalse(runs.knows(5));
  }

  @Test
  void beginsAnewWhenAllHasBeenTakenBack() {
    RecentRuns runs = runs();
    runs.add(10, 5);
    runs.remove(10, 5);
    assertEquals(0, runs.after(0));
    runs.add(20, 4);
    runs.add(30, 3);
    runs.remove(30, 3);
    runs.remove(20, 1);
    runs.add(40, 2);
    assertEquals(5, runs.after(0));
    assertEquals(2, runs.after(20));
    assertEquals(40, runs.of(runs.total()));
    assertEquals(20, runs.of(runs.total() - 2));
  }

  /** What a limit never lets through, though it may be told of it. */
  @Test
  void tooMuchStaysTooMuch() {
    RecentRuns runs = runs();
    runs.add(0, KEEP);
    runs.add(10, 3 * KEEP);
    runs.add(20, KEEP);
    runs.add(30, KEEP);
    runs.remove(10, KEEP);
    runs.remove(20, KEEP);
    runs.remove(30, KEEP);
    assertTrue(runs.after(9) >= KEEP, "two intervals' worth is left at 10");
  }

  @Test
  void survivesMoreUnitsThanThereAreNumbers() {
    for (long keep : new long[] {5_000, Spans.MAX}) {
      var runs = new RecentRuns(new Rate(keep, Spans.MAX));
      for (long i = 1; i <= 100; i++) {
        runs.add(10 * i, Long.MAX_VALUE);
        runs.addOne(10 * i + 1, true);
        assertTrue(runs.knows(runs.total() - keep + 1));
        assertEquals(10 * i + 1, runs.of(runs.total()));
        assertEquals(10 * i, runs.of(runs.total() - keep + 1));
        runs.remove(10 * i, Long.MAX_VALUE);
        assertTrue(runs.after(10 * i - 1) >= keep);
      }
    }
  }

  @Test
  void remembersNothingAtFirst() {
    RecentRuns runs = runs();
    assertFalse(runs.knows(runs.total()));
    assertEquals(0, runs.untilAged(0, 0));
    assertEquals(0, runs.after(Long.MIN_VALUE));
    runs.add(5, 0);
    runs.remove(5, 1);
    assertFalse(runs.knows(runs.total()));
  }
}
