package dev.pacegate.limit;

import static java.util.stream.Collectors.toList;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/**
 * More requests than a window allows, in the order of their arrival, for a little more than ten
 * intervals.
 */
final class Demand {

  /** Enough instants in an interval that no window remembers each of them. */
  private static final int MOST_PER_INTERVAL = 2500;

  private static final int INTERVALS = 11;

  private final long[] arrivals;
  private final long[] costs;

  Demand(long[] arrivals, long[] costs) {
    this.arrivals = arrivals;
    this.costs = costs;
  }

  /** Returns the costs that are hard for a window of {@code max}. */
  static List<Long> costs(long max) {
    return LongStream.of(
            1, 2, 3, max / 1000, max / 100, max / 7, max / 3, max / 2, max / 2 + 1, max - 1, max)
        .filter(cost -> cost >= 1 && cost <= max)
        .distinct()
        .boxed()
        .collect(toList());
  }

  /**
   * Returns requests that cost {@code cost} each, or, where those would be too many for a test,
   * some that do and one large one in each interval.
   */
  static Demand of(long cost, Rate rate, SplittableRandom random) {
    long max = rate.permits();
    int perInterval = (int) Math.min(max / cost, MOST_PER_INTERVAL);
    long rest = max - perInterval * cost;
    boolean filled = max / cost > MOST_PER_INTERVAL;
    int large = random.nextInt(perInterval);
    var costs = new ArrayList<Long>();
    for (int i = 0; i < INTERVALS * perInterval; i++) {
      if (filled && i % perInterval == large) {
        costs.add(rest);
      }
      costs.add(cost);
    }
    return arriving(costs, rate, random);
  }

  /** Returns requests of all the costs that are hard. */
  static Demand mixed(Rate rate, SplittableRandom random) {
    List<Long> some = costs(rate.permits());
    var costs = new ArrayList<Long>();
    double intervals = 0;
    while (intervals < INTERVALS && costs.size() < INTERVALS * MOST_PER_INTERVAL) {
      long cost = some.get(random.nextInt(1 + random.nextInt(some.size()))); // mostly small ones
      costs.add(cost);
      intervals += (double) cost / rate.permits();
    }
    return arriving(costs, rate, random);
  }

  private static Demand arriving(List<Long> costs, Rate rate, SplittableRandom random) {
    long[] amounts = costs.stream().mapToLong(Long::longValue).toArray();
    long[] arrivals =
        switch (random.nextInt(3)) {
          case 0 -> spreadAndThenAtOnce(amounts, rate, random);
          case 1 -> aLittleTooFast(amounts, rate, random);
          default -> withGaps(amounts, rate, random);
        };
    return new Demand(arrivals, amounts);
  }

  /** What fits into the first interval comes at any instant of it, the others wait already. */
  private static long[] spreadAndThenAtOnce(long[] costs, Rate rate, SplittableRandom random) {
    var arrivals = new long[costs.length];
    long sum = 0;
    int first = 0;
    while (first < costs.length && sum + costs[first] <= rate.permits()) {
      sum += costs[first];
      first++;
    }
    long[] spread = random.longs(first, 0, rate.nanos()).sorted().toArray();
    System.arraycopy(spread, 0, arrivals, 0, first);
    return arrivals;
  }

  private static long[] aLittleTooFast(long[] costs, Rate rate, SplittableRandom random) {
    var arrivals = new long[costs.length];
    double at = 0;
    for (int i = 0; i < costs.length; i++) {
      at += 0.97 * 2 * random.nextDouble() * costs[i] * rate.nanos() / rate.permits();
      arrivals[i] = (long) at;
    }
    return arrivals;
  }

  /** Now and then nothing comes for a part of an interval, and then all of it at once. */
  private static long[] withGaps(long[] costs, Rate rate, SplittableRandom random) {
    long[] arrivals = aLittleTooFast(costs, rate, random);
    for (int i = 1; i < costs.length; i++) {
      if (random.nextInt(300) == 0) {
        long until = arrivals[i] + random.nextLong(rate.nanos());
        for (int j = i; j < costs.length && arrivals[j] < until; j++) {
          arrivals[j] = until;
        }
      }
    }
    return arrivals;
  }

  int size() {
    return costs.length;
  }

  /** Returns when the request of this number asks first. */
  long arrival(int number) {
    return arrivals[number];
  }

  long cost(int number) {
    return costs[number];
  }
}
