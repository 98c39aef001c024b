package dev.pacegate.engine;

import dev.pacegate.limit.Cost;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lanes, and groups of lanes, by whose turn it is. A group takes its turns among others as one,
 * however many lanes it has. Guarded by the gate.
 *
 * <p>Those whose turn may have come are in a heap for each reserved share, and one for those
 * without. So when the first of a share must wait for it, and for what all share besides, others
 * that draw from the same need not be looked at to find those that can go nevertheless. All in a
 * group have the same share.
 *
 * <p><b>Source.</b> P. Goyal, H. Vin, H. Cheng: Start-time Fair Queueing, SIGCOMM 1996, also for
 * the turns of groups.
 */
final class TurnOrder extends TurnTaker<TurnOrder> {

  final @Nullable TurnOrder outer; // in which this group takes its turns; null of the outermost
  private final @Nullable TurnTaker<?> group; // its lane; null of the outermost
  private final TurnHeap heap = new TurnHeap(null); // of those without a share; of all in a group
  private List<TurnHeap> reserving = List.of(); // at most 99, as each has one percent or more
  private long lastTurn; // of the request called last
  private long since; // when the waiter came that was first when the group became ready
  private boolean rested = true; // no lane was ready: it joins in anew

  /** Creates the turns of those in {@code group}, which takes its own among {@code outer}. */
  TurnOrder(@Nullable TurnOrder outer, @Nullable TurnTaker<?> group) {
    this.outer = outer;
    this.group = group;
  }

  @Override
  int weight() {
    return group == null ? 1 : group.weight();
  }

  @Override
  @Nullable Pool reserve() {
    return group == null ? null : group.reserve();
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
    TurnTaker<?> first = heap.first();
    for (int i = 0; i < reserving.size(); i++) {
      TurnTaker<?> other = reserving.get(i).first();
      if (first == null || (other != null && TurnHeap.goesBefore(other, first))) {
        first = other;
      }
    }
    return first;
  }

  private TurnHeap heapOf(TurnTaker<?> taker) {
    Pool share = outer == null ? taker.reserve() : null;
    return share == null ? heap : heapOf(share);
  }

  private TurnHeap heapOf(Pool share) {
    for (int i = 0; i < reserving.size(); i++) {
      if (reserving.get(i).reserve == share) {
        return reserving.get(i);
      }
    }
    var made = new TurnHeap(share);
    var more = new ArrayList<>(reserving);
    more.add(made);
    reserving = more;
    return made;
  }

  /** Lets others go before those with the share of one, until all {@linkplain #stepIn step in}. */
  void stepsAside(TurnTaker<?> taker) {
    heapOf(taker).isAside = true;
  }

  void stepIn() {
    heap.isAside = false;
    for (int i = 0; i < reserving.size(); i++) {
      reserving.get(i).isAside = false;
    }
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
      heapOf(taker).add(taker);
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
    if (taker.place < 0) {
      return;
    }
    heapOf(taker).remove(taker);
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
    } else {
      reorder(taker);
    }
  }

  /** The turn of one has changed. */
  void reorder(TurnTaker<?> taker) {
    if (taker.place >= 0) {
      heapOf(taker).reorder(taker);
    }
  }

  void clear() {
    heap.clear();
    reserving.forEach(TurnHeap::clear);
    place = -1;
  }
}
