package dev.pacegate.engine;

import dev.pacegate.limit.Cost;

/** A thread that waits, parked outside the gate. It looks by itself. */
final class ThreadWaiter extends Waiter {

  final Thread thread = Thread.currentThread();
  private final boolean waitsOn;
  private boolean interrupted;

  ThreadWaiter(Lane lane, Cost cost) {
    this(lane, cost, false);
  }

  /** {@code waitsOn} says whether the thread waits on when it is interrupted. */
  ThreadWaiter(Lane lane, Cost cost, boolean waitsOn) {
    super(lane, cost);
    this.waitsOn = waitsOn;
  }

  /** Takes an interrupt, which would keep the thread from parking; returns whether to leave. */
  boolean leavesWhenInterrupted() {
    interrupted |= Thread.interrupted();
    return interrupted && !waitsOn;
  }

  /** Gives the thread back the interrupt that was taken from it. */
  void interruptAgain() {
    if (interrupted) {
      thread.interrupt();
    }
  }
}
