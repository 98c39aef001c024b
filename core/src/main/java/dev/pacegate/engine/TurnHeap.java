package dev.pacegate.engine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A heap of those whose turn may have come and that draw from the same reserved share, or from
 * none. Guarded by the gate.
 */
final class TurnHeap {

  final @Nullable Pool reserve;
  private List<TurnTaker<?>> heap = List.of(); // one to change once a request has waited

  /** Whether all in it let those with other shares go before. */
  boolean isAside;

  TurnHeap(@Nullable Pool reserve) {
    this.reserve = reserve;
  }

  boolean isEmpty() {
    return heap.isEmpty();
  }

  /** Returns the one whose turn it is; null if there is none, or it lets others go before. */
  @Nullable TurnTaker<?> first() {
    return isAside || heap.isEmpty() ? null : heap.get(0);
  }

  void add(TurnTaker<?> taker) {
    if (!(heap instanceof ArrayList)) {
      heap = new ArrayList<>(1);
    }
    heap.add(taker);
    taker.place = heap.size() - 1;
    rise(taker.place);
  }

  void remove(TurnTaker<?> taker) {
    int place = taker.place;
    assert heap.get(place) == taker : "another one is at its place";
    TurnTaker<?> moved = heap.remove(heap.size() - 1);
    taker.place = -1;
    if (moved != taker) {
      heap.set(place, moved);
      moved.place = place;
      reorder(moved);
    }
  }

  /** The turn of one in this heap has changed. */
  void reorder(TurnTaker<?> taker) {
    rise(taker.place);
    sink(taker.place);
  }

  void clear() {
    if (!heap.isEmpty()) {
      heap.clear();
    }
    isAside = false;
  }

  private void rise(int from) {
    int place = from;
    while (place > 0 && goesBefore(heap.get(place), heap.get((place - 1) / 2))) {
      swap(place, (place - 1) / 2);
      place = (place - 1) / 2;
    }
  }

  private void sink(int from) {
    int place = from;
    for (int least = lesser(place); least != place; least = lesser(place)) {
      swap(place, least);
      place = least;
    }
  }

  /** Returns the least of a place and the two below it in the heap. */
  private int lesser(int place) {
    int least = place;
    for (int below = 2 * place + 1; below <= 2 * place + 2 && below < heap.size(); below++) {
      if (goesBefore(heap.get(below), heap.get(least))) {
        least = below;
      }
    }
    return least;
  }

  /** Those with equal turns go in the order in which their first waiters came. */
  static boolean goesBefore(TurnTaker<?> a, TurnTaker<?> b) {
    return a.turn != b.turn ? a.turn - b.turn < 0 : a.waitedSince() < b.waitedSince();
  }

  private void swap(int a, int b) {
    TurnTaker<?> taker = heap.set(a, heap.get(b));
    heap.set(b, taker);
    heap.get(a).place = a;
    taker.place = b;
  }
}
