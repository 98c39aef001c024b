package dev.pacegate.simulator.estimate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayDeque;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class KineticTournamentTest {

  /** At every step the best is the one that a look at each window finds. */
  @Test
  void tellsTheHighestOfAllWindows() {
    for (int seed = 0; seed < 60; seed++) {
      long scale = seed % 2 == 0 ? 1 : 1_000_000_000_007L; // needs 128 bits
      check(new Random(seed), 2_000, 1_000 * scale, scale, "seed " + seed);
    }
  }

  private static void check(Random random, int steps, long nanos, long scale, String name) {
    var tournament = new KineticTournament(nanos);
    var windows = new ArrayDeque<EstimateWindow>();
    long now = 0;
    long counted = 0;
    for (int i = 0; i < steps; i++) {
      now += random.nextInt(50) == 0 ? nanos : random.nextInt(20) * scale;
      long instant = now;
      windows.removeIf(window -> instant - window.from() >= nanos);
      tournament.moveTo(now);
      if (random.nextInt(3) > 0) {
        long last = (400 + random.nextInt(600)) * Math.max(1, scale / 1_000);
        var window = new EstimateWindow(now, counted, last, now);
        windows.add(window);
        tournament.add(window);
        counted += random.nextInt(6) * Math.max(1, scale / 1_000);
      }
      compare(windows, tournament.best(), nanos, counted, now, name);
    }
  }

  private static void compare(
      ArrayDeque<EstimateWindow> windows,
      @Nullable EstimateWindow best,
      long nanos,
      long counted,
      long now,
      String name) {
    if (windows.isEmpty()) {
      assertNull(best, name);
      return;
    }
    Wide highest =
        windows.stream()
            .map(window -> window.estimate(nanos, counted, now))
            .max(Wide::compareTo)
            .orElseThrow();
    assertNotNull(best, name);
    assertEquals(highest, best.estimate(nanos, counted, now), name);
  }
}
