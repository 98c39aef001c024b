package dev.pacegate.simulator;

/** The distribution of waits, exact to one part in 32. */
final class Waits {

  private static final int BITS = 5;

  private final long[] counts = new long[64 << BITS];
  private long count;
  private long longest;

  void add(long nanos) {
    counts[index(nanos)]++;
    count++;
    longest = Math.max(longest, nanos);
  }

  /** Returns a wait that {@code percent} of all do not exceed, to that exactness. */
  long percentile(int percent) {
    long rank = (count * percent + 99) / 100;
    long seen = 0;
    for (int i = 0; i < counts.length; i++) {
      seen += counts[i];
      if (seen >= rank && seen > 0) {
        return Math.min(longest, least(i + 1) - 1);
      }
    }
    return longest;
  }

  long longest() {
    return longest;
  }

  private static int index(long nanos) {
    int magnitude = 63 - Long.numberOfLeadingZeros(nanos | 1);
    return magnitude <= BITS
        ? (int) nanos
        : ((magnitude - BITS) << BITS) + (int) (nanos >>> (magnitude - BITS));
  }

  private static long least(int index) {
    int magnitude = index >> BITS;
    return magnitude <= 1 ? index : (long) (index - ((magnitude - 1) << BITS)) << (magnitude - 1);
  }
}
