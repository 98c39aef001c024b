package dev.pacegate.engine;

import dev.pacegate.engine.visit.Chain;
import dev.pacegate.limit.Cost;
import org.jspecify.annotations.Nullable;

/** One that takes turns with others: a lane, or a group of lanes. Guarded by the gate. */
abstract class TurnTaker<L extends Chain.Link<L>> extends Chain.Link<L> {

  /** How far a request of plain cost 1 moves a turn of weight 1. */
  static final long STEP = 1L << 20;

  /** Larger costs count as this in a turn, so that turns can be compared. */
  private static final long DEAREST = 1L << 34;

  /** The most by which a request moves a turn. */
  static final long LONGEST_STEP = DEAREST * STEP;

  long turn; // the least goes first
  int place = -1; // in the heap of those whose turn may have come; negative if not in it
  boolean absent; // waits for its own pool: takes no part in turns meanwhile

  /** Returns how fast its turn comes again. */
  abstract int weight();

  /** Returns the reserved share that it draws from; null if it has none. */
  abstract @Nullable Pool reserve();

  /** Returns whether it has a waiter that has not been called. */
  abstract boolean isReady();

  /** Returns since when its first waiter has waited. It must be ready. */
  abstract long waitedSince();

  /** Returns how far a request moves its turn; a request that costs 0 moves it, too. */
  final long step(Cost cost) {
    return Math.max(1, Math.min(cost.amount(), DEAREST)) * STEP / weight();
  }
}
