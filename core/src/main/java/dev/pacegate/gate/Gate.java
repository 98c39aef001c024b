package dev.pacegate.gate;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.locks.LockSupport;

/**
 * A one-word mutual exclusion for sections of a few dozen nanoseconds that never wait and run no
 * user code.
 *
 * <p>A thread enters a {@link #FREE} gate by one compare-and-set. {@link #SLOW} means that there is
 * work for the next thread inside (waiters, a pause): {@link #tryEnter} then fails, so the common
 * case pays nothing for it. No other thread writes the word while one holds it, so the holder
 * leaves by a plain release store.
 *
 * <p><b>Memory.</b> What a holder wrote is visible to the next holder.
 *
 * <p>Leave by {@code gate.leave(next)}, and if that was not reached, in a {@code finally} block, by
 * storing to {@link #word}: a field write needs no stack frame, so it works even when a stack
 * overflow ended the section.
 */
public final class Gate {

  /** No thread is inside, and there is no extra work. */
  public static final int FREE = 0;

  /** A thread is inside. */
  public static final int HELD = 1;

  /** No thread is inside, but there is extra work. */
  public static final int SLOW = 2;

  private static final int SPINS = 32;
  private static final int YIELDS = 16;
  private static final int ROUND = SPINS + YIELDS + 1; // a park ends it
  private static final long FIRST_PARK_NANOS = 20_000;
  private static final long LONGEST_PARK_NANOS = 1_000_000;

  /** As quick as a VarHandle, and loads no classes of method handles with the first limiter. */
  private static final AtomicIntegerFieldUpdater<Gate> WORD =
      AtomicIntegerFieldUpdater.newUpdater(Gate.class, "word");

  /** Written only by the thread inside, to leave when all else has failed. */
  public volatile int word;

  /** Enters if the gate is {@link #FREE}. */
  public boolean tryEnter() {
    return WORD.compareAndSet(this, FREE, HELD);
  }

  /** Waits until no thread is inside, and enters. */
  public void enter() {
    for (int tries = 0; ; tries++) {
      int seen = word;
      if (seen != HELD && WORD.compareAndSet(this, seen, HELD)) {
        return;
      }
      backOff(tries % ROUND, tries / ROUND);
    }
  }

  /** Leaves the gate as {@link #FREE} or {@link #SLOW}. */
  public void leave(int next) {
    WORD.lazySet(this, next); // a release store
  }

  /**
   * Spins, then yields, then sleeps. Yielding lets a virtual thread make way for the one that holds
   * the gate; sleeping is the only way out when a thread of higher priority waits for a holder that
   * is not scheduled.
   */
  @SuppressWarnings("ThreadPriorityCheck") // a hint, in between what works without it
  private static void backOff(int step, int round) {
    if (step < SPINS) {
      Thread.onSpinWait();
    } else if (step < SPINS + YIELDS) {
      Thread.yield();
    } else {
      long park = FIRST_PARK_NANOS << Math.min(round, 6);
      LockSupport.parkNanos(Math.min(park, LONGEST_PARK_NANOS));
    }
  }
}
