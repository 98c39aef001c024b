package dev.pacegate.engine.report;

import dev.pacegate.WaitHistogram;
import java.time.Duration;

/** Counts waits by their length, and adds them up. Guarded by the gate. */
public final class WaitCounter {

  private static final int STEPS = 64;
  private static final long SECOND = 1_000_000_000L;

  private long[] counts = {}; // how many waited for less than 2^(first + i) nanoseconds
  private int first;
  private long seconds; // the sum of all waits is this
  private long nanos; // and this, as nanoseconds alone might overflow

  public void add(long wait) {
    int step = 64 - Long.numberOfLeadingZeros(wait);
    makeRoom(step);
    counts[step - first]++;
    seconds += wait / SECOND;
    nanos += wait % SECOND;
  }

  /** Waits of one key are of few lengths, and there may be a million keys. */
  private void makeRoom(int step) {
    int from = counts.length == 0 ? step : Math.min(step, first);
    int to = Math.max(step + 1, first + counts.length);
    if (to - from > counts.length) {
      var more = new long[to - from];
      System.arraycopy(counts, 0, more, counts.length == 0 ? 0 : first - from, counts.length);
      counts = more;
      first = from;
    }
  }

  /** Returns the waits of {@code granted} requests; those that were not added count as no wait. */
  public WaitHistogram of(long granted) {
    var all = new long[STEPS];
    System.arraycopy(counts, 0, all, first, counts.length);
    all[0] = granted;
    for (int i = 1; i < STEPS; i++) {
      all[0] -= all[i];
    }
    return WaitHistogram.of(all, Duration.ofSeconds(seconds, nanos));
  }

  public static WaitHistogram none(long granted) {
    long[] all = new long[STEPS];
    all[0] = granted;
    return WaitHistogram.of(all, Duration.ZERO);
  }
}
