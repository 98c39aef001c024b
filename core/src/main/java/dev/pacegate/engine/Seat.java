package dev.pacegate.engine;

import dev.pacegate.limit.Limit;
import org.jspecify.annotations.Nullable;

/**
 * The place where requests of a limiter wait: a lane, or a key, which has a lane only while in use.
 */
public interface Seat {

  /**
   * Returns the lane, kept until it is {@linkplain Lane#close closed}. Not for callers that hold
   * the gate.
   *
   * @throws dev.pacegate.TooManyKeysException if it is for a new key and there are too many
   */
  Lane hold();

  /** As {@link #hold}, but returns null instead of throwing. */
  @Nullable Lane tryHold();

  /** Returns the limit that holds here besides the limiter's own; null if there is none. */
  @Nullable Limit ownLimit();

  /** Returns whether {@link #ownLimit} is known to count plain costs, without looking it up. */
  boolean countsPlainCosts();
}
