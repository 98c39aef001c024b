package dev.pacegate.audit;

import java.util.Arrays;

/**
 * Releases in the order they came, the oldest to be forgotten first: 8 bytes each, and 8 more once
 * one of them cost other than 1. It grows by doubling.
 *
 * <p>Each release has a number, counted from 0 and never reused, by which it is read while it is
 * remembered.
 */
final class Ring {

  private static final int LARGEST = 1 << 30;

  private long[] instants = new long[16];
  private long[] costs = {}; // empty until a cost is not 1, then as long as instants
  private long first;
  private long end;

  boolean isEmpty() {
    return first == end;
  }

  /** Returns the number of the oldest release. */
  long first() {
    return first;
  }

  long instant(long number) {
    return instants[index(number, instants.length)];
  }

  long cost(long number) {
    return costs.length == 0 ? 1 : costs[index(number, costs.length)];
  }

  void add(long instant, long cost) {
    if (end - first == instants.length) {
      grow();
    }
    if (cost != 1 && costs.length == 0) {
      costs = new long[instants.length];
      Arrays.fill(costs, 1);
    }
    int index = index(end, instants.length);
    instants[index] = instant;
    if (costs.length > 0) {
      costs[index] = cost;
    }
    end++;
  }

  void removeFirst() {
    first++;
  }

  private void grow() {
    if (instants.length == LARGEST) {
      throw new OutOfMemoryError("more than " + LARGEST + " releases within one interval");
    }
    instants = doubled(instants);
    if (costs.length > 0) {
      costs = doubled(costs);
    }
  }

  private long[] doubled(long[] full) {
    var larger = new long[2 * full.length];
    for (long number = first; number != end; number++) {
      larger[index(number, larger.length)] = full[index(number, full.length)];
    }
    return larger;
  }

  private static int index(long number, int length) {
    return (int) number & (length - 1);
  }
}
