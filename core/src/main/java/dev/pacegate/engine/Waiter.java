package dev.pacegate.engine;

import static dev.pacegate.engine.visit.Clock.FOREVER;

import dev.pacegate.Permit;
import dev.pacegate.engine.visit.Chain;
import dev.pacegate.flight.Flight;
import dev.pacegate.limit.Cost;
import org.jspecify.annotations.Nullable;

/** A request in the queue. Its fields belong to the gate. */
abstract class Waiter extends Chain.Link<Waiter> {

  /** The state of a waiter. */
  enum State {
    /** In the queue. */
    WAITING,
    /** In the queue, and told to come and take its permit. */
    CALLED,
    /** Called, but has not come in time: others may go. Not in the queue. */
    LATE,
    /** Not in the queue any more: released, refused, or left. */
    GONE
  }

  /** Sentinel instead of an instant until which to wait: the wait is over. */
  static final long OVER = -1;

  /** Sentinel instead of an instant until which to wait: it is called, and comes back at once. */
  static final long AT_ONCE = -2;

  final Lane lane;
  final Cost cost;

  State state = State.GONE;
  long order; // of its coming, among all waiters; set before its future is known
  @Nullable Waiter earlier; // of all that wait: see Arrivals
  @Nullable Waiter later;
  long arrivedAt;
  long since; // since when it has been the first of its lane
  long deadline = FOREVER;
  long wakesAt = FOREVER; // when it wakes by itself; only the watch does
  boolean awaitsEnd; // the watch: it waits for a permit to end, not for time
  volatile boolean deserted; // an error ended the caller: no thread collects the permit
  @Nullable Pool calledTo; // with CALLED: the second pool it was called to draw from, if any
  @Nullable Permit permit;
  @Nullable Refusal refusal;
  @Nullable String unavailable; // with UNAVAILABLE: why
  long atLeast; // with a refusal: a lower bound of the wait
  final Flight.@Nullable Wait flight = Flight.beginWait(); // if it is being recorded

  Waiter(Lane lane, Cost cost) {
    this.lane = lane;
    this.cost = cost;
  }

  /** Returns whether it was refused because there was no permit for it at once. */
  boolean isRefusedForNow() {
    return refusal == Refusal.WAIT_TOO_LONG || refusal == Refusal.UNAVAILABLE;
  }

  /** Returns whether it has neither a permit nor a refusal. */
  boolean isUndecided() {
    return permit == null && refusal == null;
  }

  /** Returns until when it waits, or {@link #OVER}, or {@link #AT_ONCE}. */
  long waitsUntil() {
    if (state == State.GONE) {
      return OVER;
    }
    return state == State.CALLED ? AT_ONCE : Math.min(wakesAt, deadline);
  }

  /** It is refused; {@code unavailable} says why, if no source gives permits. */
  void refuse(Refusal reason, @Nullable String why) {
    refusal = reason;
    unavailable = why;
  }

  /** Returns whether it may take a permit when it asks. */
  boolean goesAtOnce() {
    return true;
  }
}
