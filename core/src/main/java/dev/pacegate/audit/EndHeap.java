package dev.pacegate.audit;

import java.util.Arrays;

/**
 * When what was released ends and what it cost, the earliest end first: a binary heap, 16 bytes
 * each.
 */
final class EndHeap {

  private long[] ends = new long[16];
  private long[] costs = new long[16];
  private int size;

  boolean isEmpty() {
    return size == 0;
  }

  /** Returns the earliest end. */
  long first() {
    return ends[0];
  }

  /** Returns what costs the one that ends first. */
  long firstCost() {
    return costs[0];
  }

  void add(long end, long cost) {
    if (size == ends.length) {
      ends = Arrays.copyOf(ends, 2 * size);
      costs = Arrays.copyOf(costs, 2 * size);
    }
    int hole = size++;
    while (hole > 0 && end - ends[(hole - 1) / 2] < 0) {
      move((hole - 1) / 2, hole);
      hole = (hole - 1) / 2;
    }
    put(hole, end, cost);
  }

  void removeFirst() {
    size--;
    long end = ends[size];
    long cost = costs[size];
    int hole = 0;
    for (int child = earlierChild(0); child < size && ends[child] - end < 0; ) {
      move(child, hole);
      hole = child;
      child = earlierChild(hole);
    }
    put(hole, end, cost);
  }

  private int earlierChild(int parent) {
    int left = 2 * parent + 1;
    int right = left + 1;
    return right < size && ends[right] - ends[left] < 0 ? right : left;
  }

  private void move(int from, int to) {
    put(to, ends[from], costs[from]);
  }

  private void put(int at, long end, long cost) {
    ends[at] = end;
    costs[at] = cost;
  }
}
