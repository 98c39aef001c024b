package dev.pacegate.engine.keys;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Lanes of keys by the instant at which they may be at rest: a binary heap, the earliest first.
 * Guarded by the gate.
 */
/*
 * Memory is allocated before anything is changed, and changes call no method: an error leaves the
 * heap as it was.
 */
public final class RestQueue<K> {

  private @Nullable KeyLane<K>[] heap = newHeap(0);
  private int size;

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static <K> @Nullable KeyLane<K>[] newHeap(int length) {
    return (@Nullable KeyLane<K>[]) new KeyLane[length];
  }

  /** Returns the lane that may be at rest first; null if there is none. */
  @Nullable KeyLane<K> first() {
    return size == 0 ? null : heap[0];
  }

  /** Adds a lane by its instant. */
  void add(KeyLane<K> lane) {
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, Math.max(4, size + (size >> 1)));
    }
    int place = size++;
    while (place > 0) {
      int above = (place - 1) >>> 1;
      KeyLane<K> parent = heap[above];
      if (parent == null || parent.restsAt <= lane.restsAt) {
        break;
      }
      heap[place] = parent;
      place = above;
    }
    heap[place] = lane;
  }

  /** Removes the first lane. There must be one. */
  void removeFirst() {
    KeyLane<K> moved = heap[--size];
    heap[size] = null;
    int place = 0;
    while (moved != null && 2 * place + 1 < size) {
      int below = 2 * place + 1;
      KeyLane<K> least = heap[below];
      KeyLane<K> right = below + 1 < size ? heap[below + 1] : null;
      if (least != null && right != null && right.restsAt < least.restsAt) {
        least = right;
        below++;
      }
      if (least == null || moved.restsAt <= least.restsAt) {
        break;
      }
      heap[place] = least;
      place = below;
    }
    if (size > 0) {
      heap[place] = moved;
    }
  }

  void clear() {
    heap = newHeap(0);
    size = 0;
  }
}
