package dev.pacegate.engine;

import dev.pacegate.limit.Cost;
import java.util.concurrent.locks.LockSupport;

/** A thread that waits, parked outside the gate. It looks by itself. */
final class ThreadWaiter extends Waiter implements Visit.Sleeper {

  private final Thread thread = Thread.currentThread();
  private volatile boolean woken;
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

  /** The thread may not have parked yet, and park elsewhere before it does: so it is noted, too. */
  @Override
  public void wake() {
    woken = true;
    LockSupport.unpark(thread);
  }

  /** Returns whether it has been woken since it was last asked. */
  boolean wasWoken() {
    boolean was = woken;
    woken = false;
    return was;
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
