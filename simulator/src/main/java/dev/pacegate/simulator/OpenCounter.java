package dev.pacegate.simulator;

/** How many requests are at work. A refused request is never at work. */
final class OpenCounter extends Counter {

  private final long max;
  private long open;

  OpenCounter(long max) {
    this.max = max;
  }

  @Override
  boolean admits(long stamp, long cost) {
    return open < max;
  }

  @Override
  void count(long stamp, long cost) {
    open++;
  }

  @Override
  void note(long stamp, long cost) {
    worst(open + 1, max, stamp, stamp + 1);
  }

  @Override
  void end(long cost) {
    open--;
  }

  @Override
  double fullness(long stamp) {
    return open;
  }
}
