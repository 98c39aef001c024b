package dev.pacegate.engine;

import dev.pacegate.WaitHistogram;
import org.jspecify.annotations.Nullable;

/** Counts waits. Guarded by the gate. */
final class WaitCounter {

  private static final int STEPS = 64;

  private long @Nullable [] counts; // from the first wait on

  void add(long nanos) {
    if (counts == null) {
      counts = new long[STEPS];
    }
    counts[64 - Long.numberOfLeadingZeros(nanos)]++;
  }

  /** Returns the histogram of {@code total} requests: those not counted here did not wait. */
  WaitHistogram of(long total) {
    long[] copy = counts == null ? new long[STEPS] : counts.clone();
    copy[0] = total;
    for (int i = 1; i < copy.length; i++) {
      copy[0] -= copy[i];
    }
    return WaitHistogram.of(copy);
  }
}
