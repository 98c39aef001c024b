package dev.pacegate.engine;

import dev.pacegate.engine.visit.Visit;
import dev.pacegate.limit.Cost;
import java.util.concurrent.locks.LockSupport;

/** A waiting thread, parked outside the gate, which watches the clock itself. */
final class ThreadWaiter extends Waiter implements Visit.Sleeper {

  private final Thread thread = Thread.currentThread();
  private volatile boolean woken;
  private final boolean waitsOn;
  private boolean interrupted;

  ThreadWaiter(Lane lane, Cost cost) {
    this(lane, cost, false);
  }

  /** {@code waitsOn} says whether the thread goes on waiting when interrupted. */
  ThreadWaiter(Lane lane, Cost cost, boolean waitsOn) {
    super(lane, cost);
    this.waitsOn = waitsOn;
  }

  /** Unparks the thread and sets a flag, as the thread may park elsewhere before it parks here. */
  @Override
  public void wake() {
    woken = true;
    LockSupport.unpark(thread);
  }

  /** Returns whether it was woken since the last call. */
  boolean wasWoken() {
    boolean was = woken;
    woken = false;
    return was;
  }

  /** Clears an interrupt, which would keep the thread from parking; returns whether to leave. */
  boolean leavesWhenInterrupted() {
    interrupted |= Thread.interrupted();
    return interrupted && !waitsOn;
  }

  /** Restores the interrupt that was cleared. */
  void interruptAgain() {
    if (interrupted) {
      thread.interrupt();
    }
  }
}
