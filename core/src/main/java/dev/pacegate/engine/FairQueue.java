package dev.pacegate.engine;

import static java.util.Objects.requireNonNull;

import dev.pacegate.engine.visit.Chain;
import dev.pacegate.limit.Cost;
import org.jspecify.annotations.Nullable;

/**
 * The lanes with waiters, ordered by whose turn it is. Guarded by the gate.
 *
 * <p>Each request advances the turn of its lane by its plain cost, at least 1, divided by the
 * lane's weight; the lane with the least turn goes first. A lane whose first waiter arrives starts
 * at the turn of the others: it has saved up nothing.
 *
 * <p>A lane in a group takes turns with the other lanes of the group, and the group takes turns
 * with other groups. A lane in several groups stands in one of them at a time: where it has to
 * wait.
 */
final class FairQueue {

  private final Chain<Lane> lanes = new Chain<>(); // with waiters; those with called ones first
  private int waiting;
  private final TurnOrder all = new TurnOrder(null, null);
  private long added;
  private @Nullable Arrivals arrivals; // once any request has waited

  /** Returns how many wait. */
  int waiting() {
    return waiting;
  }

  @Nullable Lane first() {
    return lanes.first();
  }

  private static @Nullable Lane ifCalled(@Nullable Lane lane) {
    return lane != null && lane.hasCalled() ? lane : null;
  }

  /** Returns the lane whose turn it is, or null if none is ready. */
  @Nullable Lane next() {
    TurnTaker<?> next = all.first();
    while (next instanceof TurnOrder group) {
      next = group.first();
    }
    return (Lane) next;
  }

  void add(Waiter waiter, long now) {
    waiter.order = ++added;
    insert(waiter, null, now);
    if (arrivals == null) {
      arrivals = new Arrivals();
    }
    arrivals.add(waiter);
  }

  /** A waiter waits no more, not even as a late one. */
  void departs(Waiter waiter) {
    if (arrivals != null) {
      arrivals.remove(waiter);
    }
  }

  /** Returns how long the first that came has waited, if it has not departed; 0 if none waits. */
  long oldestWait(long now) {
    return arrivals == null ? 0 : arrivals.oldestWait(now);
  }

  /** Returns a waiter that had been called to its place; no other may be called at that time. */
  void putBack(Waiter waiter, long now) {
    insert(waiter, waiter.lane.firstAfter(waiter.order), now);
    reorder(waiter.lane);
  }

  private void insert(Waiter waiter, @Nullable Waiter next, long now) {
    Lane lane = waiter.lane;
    boolean wasWatched = lane.watch() != null;
    assert lane.isEmpty() || lanes.contains(lane) : "its lane is not in the queue";
    if (lane.in == null) {
      lane.in = lane.around.length == 0 ? all : turnsOf(lane.around[0]);
    }
    if (!lanes.contains(lane)) {
      lanes.add(lane);
    }
    waiting++;
    lane.addBefore(next, waiter, now);
    if (!wasWatched) {
      lane.in.joinsIn(lane);
    }
    ready(lane);
  }

  /**
   * Returns the turns of the lanes in a group, among which are the requests of the group itself.
   */
  private TurnOrder turnsOf(Lane group) {
    TurnOrder known = group.within;
    if (known != null) {
      return known;
    }
    TurnOrder outer = group.around.length == 0 ? all : turnsOf(group.around[0]);
    var made = new TurnOrder(outer, group);
    TurnOrder former = group.in == null ? outer : group.in;
    made.turn = outer.turnOf(group, former);
    made.movesIn(group, former);
    group.within = made;
    group.in = made;
    made.add(group);
    return made;
  }

  /**
   * Takes a lane out of the turns until it {@linkplain #comesBack comes back}, as it waits for the
   * pool of {@code pool}: its own, or that of a group, which leaves its turns as a whole.
   */
  void leaves(Lane lane, Lane pool) {
    if (pool == lane && lane.within == null) {
      hold(lane);
      lane.absent = true;
      return;
    }
    TurnOrder group = turnsOf(pool);
    if (!stands(lane, group)) {
      group.movesIn(lane, requireNonNull(lane.in));
      lane.in = group;
      ready(lane);
    } else {
      requireNonNull(group.outer).remove(group);
      group.absent = true;
    }
  }

  /**
   * Returns the cost of all waiters. Of a lane with a pool of its own it is the first waiter's
   * cost, as those behind it may have to wait for that pool, and none while the first one does, or
   * its group.
   */
  Cost wanted() {
    Cost sum = Cost.none();
    for (Lane lane = first(); lane != null; lane = lane.next) {
      sum = sum.plus(wanted(lane));
    }
    return sum;
  }

  private static Cost wanted(Lane lane) {
    Waiter first = lane.first();
    if (lane.own == null || first == null) {
      return lane.all();
    }
    return waitsForPool(lane) ? Cost.none() : first.cost;
  }

  /** Returns whether a lane, or a group that it stands in, waits for its own pool. */
  private static boolean waitsForPool(Lane lane) {
    boolean waits = lane.absent;
    for (TurnOrder in = lane.in; in != null && !waits; in = in.outer) {
      waits = in.absent;
    }
    return waits;
  }

  private static boolean stands(Lane lane, TurnOrder group) {
    TurnOrder in = lane.in;
    while (in != null && in != group) {
      in = in.outer;
    }
    return in != null;
  }

  /** Makes a ready lane, and its groups, take part again; false if they did. */
  boolean comesBack(Lane lane) {
    boolean back = false;
    TurnTaker<?> taker = lane;
    for (TurnOrder in = lane.in; in != null; in = in.outer) {
      if (taker.absent) {
        in.joinsIn(taker);
        in.reorder(taker);
        back = true;
      }
      taker = in;
    }
    return back;
  }

  /**
   * Lets lanes with other reserved shares, or none, go before all that draw from the same as {@code
   * lane}, until these {@linkplain #stepIn step in} again.
   */
  void stepsAside(Lane lane) {
    all.stepsAside(lane);
  }

  void stepIn() {
    all.stepIn();
  }

  /** Removes a waiter that has taken a permit, or has left without a turn. */
  void remove(Waiter waiter, boolean took, long now) {
    Lane lane = waiter.lane;
    assert waiting >= lane.size() : waiting + " in all lanes, " + lane.size() + " in one";
    boolean wasCalled = waiter.state == Waiter.State.CALLED;
    boolean givesBack = wasCalled && !took;
    lane.remove(waiter, now);
    waiting--;
    if (givesBack) {
      giveBack(lane, waiter);
    }
    if (lane.watch() == null) {
      hold(lane);
    }
    reorder(lane); // a turn may have been given back; who is first now may have come later
    if (lane.isEmpty()) {
      lanes.remove(lane);
    } else if (wasCalled && !lane.hasCalled()) {
      lanes.moveToEnd(lane);
    }
  }

  private static void giveBack(Lane lane, Waiter called) {
    lane.turn -= lane.step(called.cost);
    for (TurnOrder in = lane.in; in != null; in = in.outer) {
      in.turn -= in.step(called.cost);
    }
  }

  /** Marks the watch of {@code lane}, whose turn it was, as called. */
  void call(Lane lane, Waiter watch, long now) {
    assert lane == next() : "it is not the turn of its lane";
    if (!lane.hasCalled()) {
      lanes.moveToFront(lane);
    }
    lane.call(watch, now);
    TurnTaker<?> taker = lane;
    for (TurnOrder in = lane.in; in != null; in = in.outer) {
      in.took(taker, watch.cost);
      taker = in;
    }
  }

  /**
   * Takes back all calls, those to the pools of lanes included. Only lanes with called waiters are
   * touched.
   */
  void uncallAll() {
    Lane lane = ifCalled(first());
    while (lane != null) {
      Lane next = ifCalled(lane.next);
      Pools.uncallAll(lane);
      takeBack(lane);
      reorder(lane);
      lane = next;
    }
  }

  /** As {@link #uncallAll()}, and makes all lanes ready; repairs what an error left half done. */
  void restart() {
    if (arrivals != null) {
      arrivals.removeGone();
    }
    for (Lane lane = first(); lane != null; lane = lane.next) {
      Pools.uncallAll(lane);
      takeBack(lane);
    }
    readyAll();
  }

  /** Takes back the calls of {@code lane}. */
  void uncall(Lane lane) {
    boolean hadCalled = lane.hasCalled();
    takeBack(lane);
    reorder(lane);
    if (hadCalled) {
      lanes.moveToEnd(lane);
    }
  }

  private static void takeBack(Lane lane) {
    for (Waiter w = lane.first(); w != null && w != lane.watch(); w = w.next) {
      giveBack(lane, w);
    }
    lane.uncall();
  }

  /** Notes that the turn of a lane may have come, earlier or later than it was to. */
  private void reorder(Lane lane) {
    ready(lane);
    TurnTaker<?> taker = lane;
    for (TurnOrder in = lane.in; in != null; in = in.outer) {
      in.reorder(taker);
      taker = in;
    }
  }

  /** Notes that the turn of a lane may have come, or of one that draws from the same groups. */
  void ready(Lane lane) {
    readyIn(lane);
    for (Lane group : lane.around) {
      readyIn(group);
    }
  }

  /** As {@link #ready(Lane)}, for a lane and for the turns in it if it is a group. */
  private static void readyIn(Lane lane) {
    if (lane.in != null) {
      lane.in.add(lane);
      lane.in.ready();
    }
    if (lane.within != null) {
      lane.within.ready();
    }
  }

  /** As {@link #ready(Lane)} for all lanes whose pools a source gives permits to. */
  void readyFed() {
    for (Lane lane = first(); lane != null; lane = lane.next) {
      if (lane.isFed()) {
        ready(lane);
      }
    }
  }

  /** As {@link #ready(Lane)} for all lanes; repairs what an error left half done. */
  private void readyAll() {
    all.clear();
    waiting = 0;
    for (Lane lane = first(); lane != null; lane = lane.next) {
      lane.place = -1;
      for (TurnOrder in = lane.in; in != null; in = in.outer) {
        in.clear();
      }
      waiting += lane.size();
    }
    for (Lane lane = first(); lane != null; lane = lane.next) {
      ready(lane);
    }
  }

  /** Lets others go before a lane until it is ready again. */
  private static void hold(Lane lane) {
    if (lane.in != null) {
      lane.in.remove(lane);
    }
  }
}
