package dev.pacegate.engine;

import dev.pacegate.limit.Cost;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Lanes, and groups of lanes, by whose turn it is: a heap of those whose turn may have come. A
 * group takes its turns among others as one, however many lanes it has. Guarded by the gate.
 *
 * <p><b>Source.</b> P. Goyal, H. Vin, H. Cheng: Start-time Fair Queueing, SIGCOMM 1996, also for
 * the turns of groups.
 */
final class TurnOrder extends TurnTaker<TurnOrder> {

  final @Nullable TurnOrder outer; // in which this group takes its turns; null of the outermost
  private final int weight;
  private final ArrayList<TurnTaker<?>> heap = new ArrayList<>(0);
  private long lastTurn; // of the request called last
  private long since; // when the waiter came that was first when the group became ready
  private boolean rested = true; // no lane was ready: it joins in anew

  TurnOrder(@Nullable TurnOrder outer, int weight) {
    this.outer = outer;
    this.weight = weight;
  }

  @Override
  int weight() {
    return weight;
  }

  @Override
  boolean isReady() {
    return !heap.isEmpty();
  }

  @Override
  long waitedSince() {
    return since;
  }

  /** Returns the one whose turn it is, or null if none is ready. */
  @Nullable TurnTaker<?> first() {
    return heap.isEmpty() ? null : heap.get(0);
  }

  /** Makes one take part in turns from now on. It may have a turn left that still counts. */
  void joinsIn(TurnTaker<?> taker) {
    long ahead = taker.turn - lastTurn;
    if (ahead < 0 || ahead > LONGEST_STEP) { // turns wrap around while one is away
      taker.turn = lastTurn;
    }
    taker.absent = false;
  }

  /** Makes one take part here that has taken its turns in {@code former}. */
  void movesIn(TurnTaker<?> taker, TurnOrder former) {
    former.remove(taker);
    taker.turn = turnOf(taker, former);
    joinsIn(taker);
  }

  /**
   * Returns which turn here is as far ahead of the others as that of one is in {@code former}: each
   * order counts its own.
   */
  long turnOf(TurnTaker<?> taker, TurnOrder former) {
    return taker.turn - former.lastTurn + lastTurn;
  }

  /** Notes that the turn of one may have come. */
  void add(TurnTaker<?> taker) {
    if (taker.place < 0 && taker.isReady()) {
      heap.add(taker);
      taker.place = heap.size() - 1;
      rise(taker.place);
    }
  }

  /** As {@link #add} for this group and those around it. */
  void ready() {
    TurnOrder group = this;
    for (TurnOrder around = outer; around != null; around = around.outer) {
      TurnTaker<?> first = group.first();
      if (group.place < 0 && first != null) {
        group.since = first.waitedSince();
        if (group.rested) {
          around.joinsIn(group);
          group.rested = false;
        }
        around.add(group);
      }
      group = around;
    }
  }

  /** Takes one out until its turn may have come again, and this group if no other is ready. */
  void remove(TurnTaker<?> taker) {
    int place = taker.place;
    if (place < 0) {
      return;
    }
    assert heap.get(place) == taker : "another one is at its place";
    TurnTaker<?> moved = heap.remove(heap.size() - 1);
    taker.place = -1;
    if (moved != taker) {
      heap.set(place, moved);
      moved.place = place;
      rise(place);
      sink(moved.place);
    }
    if (heap.isEmpty() && outer != null) {
      outer.remove(this);
      rested = true;
    }
  }

  /** Moves the turn of one that a request of it was called for. */
  void took(TurnTaker<?> taker, Cost cost) {
    if (taker.turn - lastTurn > 0) {
      lastTurn = taker.turn;
    }
    taker.turn += taker.step(cost);
    if (!taker.isReady()) {
      remove(taker);
    } else if (taker.place >= 0) {
      sink(taker.place);
    }
  }

  /** The turn of one has changed. */
  void reorder(TurnTaker<?> taker) {
    if (taker.place >= 0) {
      rise(taker.place);
      sink(taker.place);
    }
  }

  void clear() {
    heap.clear();
    place = -1;
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
  private static boolean goesBefore(TurnTaker<?> a, TurnTaker<?> b) {
    return a.turn != b.turn ? a.turn - b.turn < 0 : a.waitedSince() < b.waitedSince();
  }

  private void swap(int a, int b) {
    TurnTaker<?> taker = heap.set(a, heap.get(b));
    heap.set(b, taker);
    heap.get(a).place = a;
    taker.place = b;
  }
}
