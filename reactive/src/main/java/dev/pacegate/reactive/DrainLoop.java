package dev.pacegate.reactive;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A loop of turns, one at a time, whichever threads call for them and however often. */
/*
 * A thread with news stores it where a turn finds it, and calls `stir`. The first thread takes the turns;
 * all others only count up, and a turn follows that sees what they have stored.
 *
 *     calls   0 ──first──► 1 ──others──► 3 ──turn over: -1──► 2 ──turn over: -2──► 0
 *
 * Why nothing is missed: the turns end only by subtracting from `calls` exactly what had been counted
 * before the last turn began, with the result 0. So no call came since. Why no two overlap: only the step
 * from 0 begins them, and only the step to 0 ends them. What was stored before counting up is seen by the
 * turn after, as both go through the same atomic; what one turn has written, by the next.
 *
 * A call from within a turn needs no atomic. `owner` is plain: a thread reads itself there only if it has
 * written so, and it writes null before it ends its turns. Other threads read either null or another
 * thread. The turn goes on in a loop, so nothing ever recurs.
 */
abstract class DrainLoop {

  private final AtomicLong calls = new AtomicLong();
  private @Nullable Thread owner;
  private boolean again; // the owner called for a turn within its turn

  /** Does what there is to do; called by one thread at a time. */
  abstract void turn();

  /** Called by the thread that has taken turns, after the last; others may take some meanwhile. */
  void afterTurns() {}

  /** A turn has failed in the user's code: releases everything. */
  abstract void abandon();

  /**
   * Makes sure that a turn begins after this call, on this thread or on the one whose turn it is.
   */
  final void stir() {
    if (isInTurn()) {
      again = true;
    } else if (calls.getAndIncrement() == 0) {
      begin();
      afterTurns();
    }
  }

  /** Returns whether this thread is taking a turn. */
  final boolean isInTurn() {
    return owner == Thread.currentThread();
  }

  /** As {@link #stir}, for a caller that would swallow an exception. */
  final void stirAndReport() {
    try {
      stir();
    } catch (Throwable failure) {
      Thread here = Thread.currentThread();
      here.getUncaughtExceptionHandler().uncaughtException(here, failure);
    }
  }

  private void begin() {
    try {
      takeTurns();
    } catch (Throwable failure) {
      giveUp();
      throw failure;
    }
  }

  private void giveUp() {
    try {
      abandon();
    } finally {
      takeTurns();
    }
  }

  private void takeTurns() {
    long seen = calls.get();
    do {
      owner = Thread.currentThread();
      do {
        again = false;
        turn();
      } while (again);
      owner = null;
      seen = calls.addAndGet(-seen);
    } while (seen != 0);
  }
}
