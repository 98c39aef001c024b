package dev.pacegate.limit;

import java.util.Arrays;

/**
 * Binary search and growth of ring buffers with ascending numbers; the length is a power of two.
 */
final class Ring {

  private Ring() {}

  /** Returns the place of the first number that is at least {@code least}, or {@code size}. */
  static int placeOf(long[] ring, int head, int size, long least) {
    int low = 0;
    int high = size;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (ring[(head + middle) & (ring.length - 1)] - least >= 0) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** Returns a copy with room for twice as many, which begins at 0. */
  static long[] twiceAsLong(long[] ring, int head) {
    long[] copy = Arrays.copyOf(ring, 2 * ring.length);
    int tail = ring.length - head;
    System.arraycopy(ring, head, copy, 0, tail);
    System.arraycopy(ring, 0, copy, tail, head);
    return copy;
  }
}
