package dev.pacegate.benchmarks.interleaved;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * How far a median is to be trusted: it is taken again and again, of values drawn at random from
 * those that were measured.
 *
 * <p>Forks are drawn first, then rounds within them. The rounds of a fork have its compiled code in
 * common, so a thousand rounds in each of ten forks say no more of an eleventh than ten forks do.
 */
final class Bootstrap {

  private static final int RESAMPLES = 10_000;

  private final double[] sorted;
  private final int[][] ranks; // by fork, of its rounds: their places among what is sorted
  private final double[] medians = new double[RESAMPLES];

  /**
   * @param forks the values by fork, then by round
   */
  Bootstrap(double[][] forks, long seed) {
    sorted = Stream.of(forks).flatMapToDouble(Arrays::stream).sorted().toArray();
    ranks = Stream.of(forks).map(this::ranks).toArray(int[][]::new);
    var random = new SplittableRandom(seed);
    Arrays.setAll(medians, i -> median(random));
    Arrays.sort(medians);
  }

  /** Returns the median of all values. */
  double median() {
    return sorted[sorted.length / 2];
  }

  /**
   * Returns the interval in which the median of any number of forks is to be expected.
   *
   * @param level the share of intervals that hold it, nearly: 0.95, say
   */
  Interval interval(double level) {
    int outside = (int) Math.round(RESAMPLES * (1 - level) / 2);
    return new Interval(medians[outside], medians[RESAMPLES - 1 - outside]);
  }

  private int[] ranks(double[] fork) {
    return Arrays.stream(fork).mapToInt(value -> Arrays.binarySearch(sorted, value)).toArray();
  }

  /** Counts how often each value is drawn, which needs no sorting, and walks to the middle. */
  private double median(SplittableRandom random) {
    var times = new int[sorted.length];
    int drawn = 0;
    // One fork less than there are: as many as there are would differ less than forks do.
    for (int i = Math.min(1, ranks.length - 1); i < ranks.length; i++) {
      int[] fork = ranks[random.nextInt(ranks.length)];
      for (int j = 0; j < fork.length; j++) {
        times[fork[random.nextInt(fork.length)]]++;
      }
      drawn += fork.length;
    }
    int place = 0;
    for (int passed = times[0]; passed <= drawn / 2; passed += times[place]) {
      place++;
    }
    return sorted[place];
  }
}
