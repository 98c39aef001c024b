package dev.pacegate.simulator;

import dev.pacegate.limit.Rate;

/** Fixed windows, one after another: the cost counted in the present one. */
final class WindowCounter extends Counter {

  private final long max;
  private final long nanos;
  private final long phase;
  private long window = Long.MIN_VALUE; // its beginning
  private long counted;
  private long asked;

  WindowCounter(Rate rate, long phase) {
    this.max = rate.permits();
    this.nanos = rate.nanos();
    this.phase = phase;
  }

  @Override
  boolean admits(long stamp, long cost) {
    turn(stamp);
    return counted + cost <= max;
  }

  @Override
  void count(long stamp, long cost) {
    turn(stamp);
    counted += cost;
  }

  @Override
  void note(long stamp, long cost) {
    turn(stamp);
    asked += cost;
    worst(asked, max, window, window + nanos);
  }

  private void turn(long stamp) {
    if (window != Long.MIN_VALUE && stamp - window < nanos) {
      return;
    }
    window = stamp - Math.floorMod(stamp - phase, nanos);
    counted = 0;
    asked = 0;
  }

  @Override
  double fullness(long stamp) {
    turn(stamp);
    return counted;
  }
}
