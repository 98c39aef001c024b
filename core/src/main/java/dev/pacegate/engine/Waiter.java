package dev.pacegate.engine;

import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import org.jspecify.annotations.Nullable;

/** A place in the line. Its fields belong to the gate. */
abstract class Waiter {

  /** Where a waiter stands. */
  enum State {
    /** In line. */
    WAITING,
    /** In line, and told to come and take its permit. */
    CALLED,
    /** Called, and has not come in time: others may go. No longer in line. */
    LATE,
    /** No longer in line: released, refused, or gone. */
    DONE
  }

  final Lane lane;
  final Cost cost;

  @Nullable Waiter previous;
  @Nullable Waiter next;
  State state = State.DONE;
  long order; // among those of its lane
  long arrivedAt;
  long since; // from when it has been the first of its lane
  long deadline = Clock.FOREVER;
  long looksAt = Clock.FOREVER; // when it will look at the clock by itself; only the watch does
  boolean awaitsEnd; // the watch: no time will do, a permit must end
  volatile boolean deserted; // an error befell whoever asked: nobody comes for the permit
  @Nullable Pool calledTo; // with CALLED: which of two pools it was called to draw from, if any
  @Nullable Permit permit;
  @Nullable Refusal refusal;
  long atLeast; // with a refusal: a lower bound of the wait

  Waiter(Lane lane, Cost cost) {
    this.lane = lane;
    this.cost = cost;
  }

  /** Returns whether it may take a permit the moment it asks. */
  boolean goesAtOnce() {
    return true;
  }

  /** Notes in {@code duties} what makes this waiter look again, now or at {@link #looksAt}. */
  abstract void rouse(Visit duties);

  /** Notes in {@code duties} what makes this waiter come and take its permit, or its refusal. */
  abstract void summon(Visit duties);
}
