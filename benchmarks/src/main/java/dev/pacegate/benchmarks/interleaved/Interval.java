package dev.pacegate.benchmarks.interleaved;

import dev.pacegate.benchmarks.Text;

/** Between what a number is likely to be, both ends included. */
record Interval(double low, double high) {

  boolean overlaps(Interval other) {
    return low <= other.high && other.low <= high;
  }

  boolean contains(double value) {
    return low <= value && value <= high;
  }

  /** Returns it as a table shows it. */
  @Override
  public String toString() {
    return Text.format("%.3f to %.3f", low, high);
  }
}
