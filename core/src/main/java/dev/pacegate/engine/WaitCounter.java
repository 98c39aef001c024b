package dev.pacegate.engine;

import dev.pacegate.WaitHistogram;
import java.time.Duration;

/** Counts waits by their length, and adds them up. Guarded by the gate. */
final class WaitCounter {

  private static final int STEPS = 64;
  private static final long SECOND = 1_000_000_000L;

  private final long[] counts = new long[STEPS]; // how many waited for less than 2^i nanoseconds
  private long seconds; // the sum of all waits is this
  private long nanos; // and this, as nanoseconds alone might overflow

  void add(long wait) {
    counts[64 - Long.numberOfLeadingZeros(wait)]++;
    seconds += wait / SECOND;
    nanos += wait % SECOND;
  }

  /** Returns the waits of {@code granted} requests, of which those not added did not wait. */
  WaitHistogram of(long granted) {
    long[] all = counts.clone();
    all[0] = granted;
    for (int i = 1; i < STEPS; i++) {
      all[0] -= all[i];
    }
    return WaitHistogram.of(all, Duration.ofSeconds(seconds, nanos));
  }

  static WaitHistogram none(long granted) {
    long[] all = new long[STEPS];
    all[0] = granted;
    return WaitHistogram.of(all, Duration.ZERO);
  }
}
