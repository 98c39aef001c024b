package dev.pacegate.simulator;

import dev.pacegate.limit.Rate;

/** A sliding window that ends with each request: its counted cost, and its requested cost. */
final class SlidingCounter extends Counter {

  private final long max;
  private final long nanos;
  private final Recent counted;
  private final Recent asked;

  SlidingCounter(Rate rate) {
    this.max = rate.permits();
    this.nanos = rate.nanos();
    this.counted = new Recent(nanos);
    this.asked = new Recent(nanos);
  }

  @Override
  boolean admits(long stamp, long cost) {
    return counted.sum(stamp) + cost <= max;
  }

  @Override
  void count(long stamp, long cost) {
    counted.add(stamp, cost);
  }

  @Override
  void note(long stamp, long cost) {
    asked.add(stamp, cost);
    worst(asked.sum(stamp), max, asked.first(), stamp + 1);
  }

  @Override
  double fullness(long stamp) {
    return counted.sum(stamp);
  }

  /** The costs of the last {@code nanos}, in a ring that grows when it must. */
  private static final class Recent {

    private final long nanos;
    private long[] stamps = new long[16];
    private long[] costs = new long[16];
    private int head;
    private int size;
    private long sum;

    Recent(long nanos) {
      this.nanos = nanos;
    }

    void add(long stamp, long cost) {
      forget(stamp);
      if (size == stamps.length) {
        grow();
      }
      int tail = (head + size) & (stamps.length - 1);
      stamps[tail] = stamp;
      costs[tail] = cost;
      size++;
      sum += cost;
    }

    long sum(long stamp) {
      forget(stamp);
      return sum;
    }

    long first() {
      return stamps[head];
    }

    private void forget(long stamp) {
      while (size > 0 && stamp - stamps[head] >= nanos) {
        sum -= costs[head];
        head = (head + 1) & (stamps.length - 1);
        size--;
      }
    }

    private void grow() {
      long[] moreStamps = new long[2 * size];
      long[] moreCosts = new long[2 * size];
      for (int i = 0; i < size; i++) {
        int at = (head + i) & (size - 1);
        moreStamps[i] = stamps[at];
        moreCosts[i] = costs[at];
      }
      stamps = moreStamps;
      costs = moreCosts;
      head = 0;
    }
  }
}
