package dev.pacegate.benchmarks.interleaved;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

class BootstrapTest {

  private static final double MEDIAN = 1.25;

  @Test
  void holdsTheMedianAsOftenAsItSays() {
    var random = new Random(42);
    int runs = 200;
    int held = 0;
    for (int run = 0; run < runs; run++) {
      double[][] forks = forks(random, 12, 10);
      if (new Bootstrap(forks, run).interval(0.95).contains(MEDIAN)) {
        held++;
      }
    }
    assertTrue(held >= 0.9 * runs, "held in " + held + " of " + runs);
    assertTrue(held < runs, "an interval that always holds says nothing");
  }

  @Test
  void moreRoundsDoNotMakeUpForFewForks() {
    double rounds = width(forks(new Random(1), 10, 200));
    double forks = width(forks(new Random(1), 100, 20));
    assertTrue(2 * forks < rounds, forks + ", " + rounds);
  }

  @Test
  void aSingleValueIsItsOwnMedian() {
    var single = new Bootstrap(new double[][] {{3}}, 1);
    assertEquals(3, single.median());
    assertEquals(new Interval(3, 3), single.interval(0.95));
  }

  @Test
  void aHigherLevelIsWider() {
    var bootstrap = new Bootstrap(forks(new Random(5), 12, 10), 5);
    Interval usual = bootstrap.interval(0.95);
    Interval sure = bootstrap.interval(0.999);
    assertTrue(sure.low() < usual.low() && usual.high() < sure.high(), usual + ", " + sure);
  }

  @Test
  void theSeedDecides() {
    double[][] forks = forks(new Random(7), 12, 10);
    Interval once = new Bootstrap(forks, 1).interval(0.95);
    assertEquals(once, new Bootstrap(forks, 1).interval(0.95));
    assertNotEquals(once, new Bootstrap(forks, 2).interval(0.95));
  }

  private static double width(double[][] forks) {
    Interval interval = new Bootstrap(forks, 1).interval(0.95);
    return interval.high() - interval.low();
  }

  /** Forks differ, and rounds within them, some of them a lot. */
  private static double[][] forks(Random random, int forks, int rounds) {
    var values = new double[forks][rounds];
    for (double[] fork : values) {
      double median = MEDIAN + 0.1 * random.nextGaussian();
      for (int i = 0; i < rounds; i++) {
        double off = 0.02 * random.nextGaussian();
        fork[i] = median + (random.nextInt(10) == 0 ? 50 * off : off);
      }
    }
    return values;
  }
}
