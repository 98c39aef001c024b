package dev.pacegate.engine;

import dev.pacegate.WaitHistogram;

/** Counts waits. Guarded by the gate. */
final class WaitCounter {

  private final long[] counts = new long[64];

  void add(long nanos) {
    counts[64 - Long.numberOfLeadingZeros(nanos)]++;
  }

  /** Returns what was counted, and {@code total} in all: the rest went without waiting. */
  WaitHistogram of(long total) {
    long[] copy = counts.clone();
    copy[0] = total;
    for (int i = 1; i < copy.length; i++) {
      copy[0] -= copy[i];
    }
    return WaitHistogram.of(copy);
  }
}
