package dev.pacegate.engine;

import org.jspecify.annotations.Nullable;

/** Where requests of a limiter wait: a lane, or a key, which has a lane only while it is in use. */
public interface Seat {

  /**
   * Returns the lane, kept until it is {@linkplain Lane#close closed}. Not for callers that hold
   * the gate.
   *
   * @throws dev.pacegate.TooManyKeysException if it is that of a new key, and there are too many
   */
  Lane hold();

  /** As {@link #hold}, but returns null where that throws. */
  @Nullable Lane tryHold();
}
