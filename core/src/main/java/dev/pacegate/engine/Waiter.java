package dev.pacegate.engine;

import static dev.pacegate.engine.Clock.FOREVER;

import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import org.jspecify.annotations.Nullable;

/** A place in the queue. Its fields belong to the gate. */
abstract class Waiter extends Chain.Link<Waiter> {

  /** Where a waiter stands. */
  enum State {
    /** In the queue. */
    WAITING,
    /** In the queue, and told to come and take its permit. */
    CALLED,
    /** Called, and has not come in time: others may go. No longer in the queue. */
    LATE,
    /** No longer in the queue: released, refused, or gone. */
    GONE
  }

  final Lane lane;
  final Cost cost;

  State state = State.GONE;
  long order; // among those of its lane
  long arrivedAt;
  long since; // from when it has been the first of its lane
  long deadline = FOREVER;
  long looksAt = FOREVER; // when it will look at the clock by itself; only the watch does
  boolean awaitsEnd; // the watch: no time will do, a permit must end
  volatile boolean deserted; // an error befell the caller: no thread comes for the permit
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
}
