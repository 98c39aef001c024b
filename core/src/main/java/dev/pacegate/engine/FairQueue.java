package dev.pacegate.engine;

import dev.pacegate.engine.visit.Chain;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The lanes with waiters, ordered by whose turn it is. Guarded by the gate.
 *
 * <p>Each request advances the turn of its lane by its plain cost, at least 1, divided by the
 * lane's weight; the lane with the least turn goes first. A lane whose first waiter arrives starts
 * at the turn of the others: it has saved up nothing.
 *
 * <p><b>Source.</b> P. Goyal, H. Vin, H. Cheng: Start-time Fair Queueing, SIGCOMM 1996.
 */
final class FairQueue {

  private final Chain<Lane> lanes = new Chain<>(); // with waiters
  private int waiting;
  private final ArrayList<Lane> heap = new ArrayList<>(0); // of those whose turn may have come
  private long lastTurn; // of the request called last
  private long added;

  /** Returns how many wait. */
  int waiting() {
    return waiting;
  }

  /** Returns how long the first comer has waited; 0 if none waits. */
  long oldestWait(long now) {
    long longest = 0;
    for (Lane lane = first(); lane != null; lane = lane.next) {
      longest = Math.max(longest, lane.oldestWait(now));
    }
    return longest;
  }

  @Nullable Lane first() {
    return lanes.first();
  }

  /** Returns the lane whose turn it is, or null if none is ready. */
  @Nullable Lane next() {
    return heap.isEmpty() ? null : heap.get(0);
  }

  void add(Waiter waiter, long now) {
    waiter.order = ++added;
    insert(waiter, null, now);
  }

  /** Returns a waiter that had been called to its place; no other may be called at that time. */
  void putBack(Waiter waiter, long now) {
    insert(waiter, waiter.lane.firstAfter(waiter.order), now);
    if (waiter.lane.place >= 0) {
      rise(waiter.lane.place);
    }
  }

  private void insert(Waiter waiter, @Nullable Waiter next, long now) {
    Lane lane = waiter.lane;
    boolean wasWatched = lane.watch() != null;
    assert lane.isEmpty() || lanes.contains(lane) : "its lane is not in the queue";
    if (!lanes.contains(lane)) {
      lanes.add(lane);
    }
    waiting++;
    lane.addBefore(next, waiter, now);
    if (!wasWatched) {
      joinsIn(lane);
    }
    ready(lane);
  }

  /** Makes a lane take part in turns from now on. It may have a turn left that still counts. */
  private void joinsIn(Lane lane) {
    long ahead = lane.turn - lastTurn;
    if (ahead < 0 || ahead > Lane.LONGEST_STEP) { // turns wrap around while a lane is empty
      lane.turn = lastTurn;
    }
    lane.absent = false;
  }

  /** Takes a lane out of the turns until it {@linkplain #comesBack comes back}. */
  void leaves(Lane lane) {
    hold(lane);
    lane.absent = true;
  }

  /** Makes a ready lane take part again. */
  void comesBack(Lane lane) {
    joinsIn(lane);
    sink(lane.place);
  }

  /** Removes a waiter that has taken a permit, or has left without a turn. */
  void remove(Waiter waiter, boolean took, long now) {
    Lane lane = waiter.lane;
    assert waiting >= lane.size() : waiting + " in all lanes, " + lane.size() + " in one";
    boolean givesBack = waiter.state == Waiter.State.CALLED && !took;
    lane.remove(waiter, now);
    waiting--;
    if (givesBack) {
      lane.turn -= lane.step(waiter.cost);
    }
    if (lane.watch() == null) {
      hold(lane);
    } else {
      reorder(lane); // a turn may have been given back; who is first now may have come later
    }
    if (lane.isEmpty()) {
      lanes.remove(lane);
    }
  }

  /** Marks the watch of {@code lane}, whose turn it was, as called. */
  void call(Lane lane, Waiter watch, long now) {
    assert lane == next() : "it is not the turn of its lane";
    lane.call(watch, now);
    if (lane.turn - lastTurn > 0) {
      lastTurn = lane.turn;
    }
    lane.turn += lane.step(watch.cost);
    if (lane.watch() == null) {
      hold(lane);
    } else if (lane.place >= 0) {
      sink(lane.place);
    }
  }

  /** Takes back all calls. */
  void uncallAll() {
    for (Lane lane = first(); lane != null; lane = lane.next) {
      lane.uncall();
    }
    readyAll();
  }

  /** Takes back the calls of {@code lane}. */
  void uncall(Lane lane) {
    lane.uncall();
    reorder(lane);
  }

  /** Notes that the turn of a lane may have come, earlier or later than it was to. */
  private void reorder(Lane lane) {
    ready(lane);
    if (lane.place >= 0) {
      rise(lane.place);
      sink(lane.place);
    }
  }

  /** Notes that the turn of a lane may have come. */
  void ready(Lane lane) {
    if (lane.place < 0 && lane.watch() != null) {
      heap.add(lane);
      lane.place = heap.size() - 1;
      rise(lane.place);
    }
  }

  /** As {@link #ready(Lane)} for all lanes; repairs what an error left half done. */
  void readyAll() {
    heap.clear();
    waiting = 0;
    for (Lane lane = first(); lane != null; lane = lane.next) {
      lane.place = -1;
      waiting += lane.size();
    }
    for (Lane lane = first(); lane != null; lane = lane.next) {
      ready(lane);
    }
  }

  /** Lets others go before a lane until it is ready again. */
  void hold(Lane lane) {
    int place = lane.place;
    if (place < 0) {
      return;
    }
    assert heap.get(place) == lane : "another lane is at its place";
    Lane moved = heap.remove(heap.size() - 1);
    lane.place = -1;
    if (moved != lane) {
      heap.set(place, moved);
      moved.place = place;
      rise(place);
      sink(moved.place);
    }
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

  /** Lanes with equal turns go in the order in which their first waiters came. */
  private static boolean goesBefore(Lane a, Lane b) {
    return a.turn != b.turn ? a.turn - b.turn < 0 : a.waitedSince() < b.waitedSince();
  }

  private void swap(int a, int b) {
    Lane lane = heap.set(a, heap.get(b));
    heap.set(b, lane);
    heap.get(a).place = a;
    lane.place = b;
  }
}
