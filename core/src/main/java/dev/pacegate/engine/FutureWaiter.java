package dev.pacegate.engine;

import dev.pacegate.Permit;
import dev.pacegate.RefusedException;
import dev.pacegate.engine.visit.Alarm;
import dev.pacegate.limit.Cost;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A waiting future. The limiter's alarm watches the clock for it. It is completed on its own
 * executor if it has one, otherwise on the limiter's, or on any thread if it {@linkplain
 * Recipient#onlySchedules only schedules} what goes on.
 */
final class FutureWaiter extends Waiter {

  /** Takes the outcome. Called outside the gate and without a lock. */
  interface Recipient {

    /** Whether any thread may complete it, as it only schedules what goes on. */
    default boolean onlySchedules() {
      return false;
    }

    /** The request has its permit. */
    void deliver(Permit permit);

    /** The request is refused. */
    void fail(RefusedException refused);
  }

  /** Makes futures leave the queue in which they wait. */
  interface Departure {

    /**
     * Leaves the queue; false if the waiter is decided on. True if it has left already: its future
     * may be completed by whichever thread comes first.
     */
    boolean giveUp(FutureWaiter waiter);
  }

  final Recipient recipient;
  final @Nullable Executor own;
  @Nullable Alarm timeout;
  long calledAt; // with an executor of its own
  boolean queued; // for completion
  boolean claimed; // by a thread of its own executor, which completes it

  FutureWaiter(Lane lane, Cost cost, Recipient recipient, @Nullable Executor own) {
    super(lane, cost);
    this.recipient = recipient;
    this.own = own;
  }

  /** Another thread collects this permit. */
  @Override
  boolean goesAtOnce() {
    return own == null;
  }
}
