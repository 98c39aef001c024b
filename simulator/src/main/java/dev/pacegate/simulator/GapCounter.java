package dev.pacegate.simulator;

/** A minimum gap since the last counted request. */
final class GapCounter extends Counter {

  private final long gap;
  private boolean some;
  private long last;
  private boolean someAsked;
  private long lastAsked;
  private long smallest = Long.MAX_VALUE;

  GapCounter(long gap) {
    this.gap = gap;
  }

  @Override
  boolean admits(long stamp, long cost) {
    return !some || stamp - last >= gap;
  }

  @Override
  void count(long stamp, long cost) {
    some = true;
    last = stamp;
  }

  @Override
  void note(long stamp, long cost) {
    if (someAsked && stamp - lastAsked < smallest) {
      forgetWorst();
      smallest = stamp - lastAsked;
      worst(smallest < gap ? 2 : 1, 1, lastAsked, stamp + 1);
    }
    someAsked = true;
    lastAsked = stamp;
  }

  @Override
  void forgetWorst() {
    super.forgetWorst();
    smallest = Long.MAX_VALUE;
  }

  @Override
  double fullness(long stamp) {
    return some && stamp - last < gap ? 1 : 0;
  }
}
