package dev.pacegate.model;

import java.util.Arrays;

/** The states found so far, packed and numbered in the order in which they were added. */
final class StateSet {
  private long[] threadKeys = new long[1 << 10];
  private long[] sharedKeys = new long[1 << 10];

  /** Open addressing, at most half full: the number of a state plus one, or 0. */
  private int[] table = new int[1 << 11];

  private int size;

  int size() {
    return size;
  }

  ModelState get(int number) {
    return ModelState.of(threadKeys[number], sharedKeys[number]);
  }

  /** Returns the number of {@code state}, which is the old {@link #size} if it is new. */
  int add(ModelState state) {
    long threadKey = state.threadKey();
    long sharedKey = state.sharedKey();
    int slot = slot(threadKey, sharedKey);
    while (table[slot] != 0) {
      int number = table[slot] - 1;
      if (threadKeys[number] == threadKey && sharedKeys[number] == sharedKey) {
        return number;
      }
      slot = slot + 1 & table.length - 1;
    }
    if (size == threadKeys.length) {
      grow();
      return add(state);
    }
    threadKeys[size] = threadKey;
    sharedKeys[size] = sharedKey;
    table[slot] = ++size;
    return size - 1;
  }

  private int slot(long threadKey, long sharedKey) {
    long hash = threadKey * 0x9E3779B97F4A7C15L;
    hash = ((hash ^ hash >>> 32) + sharedKey) * 0xC2B2AE3D27D4EB4FL;
    return (int) (hash >>> 32) & table.length - 1;
  }

  private void grow() {
    threadKeys = Arrays.copyOf(threadKeys, 2 * size);
    sharedKeys = Arrays.copyOf(sharedKeys, 2 * size);
    table = new int[4 * size];
    for (int number = 0; number < size; number++) {
      int slot = slot(threadKeys[number], sharedKeys[number]);
      while (table[slot] != 0) {
        slot = slot + 1 & table.length - 1;
      }
      table[slot] = number + 1;
    }
  }
}
