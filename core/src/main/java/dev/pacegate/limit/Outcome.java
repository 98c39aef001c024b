package dev.pacegate.limit;

/** How a permit ended: what is known of its request. */
public enum Outcome {

  /** The answer is in: the peer has counted the request, no later than now. */
  ANSWERED,

  /** Provably never sent: the peer cannot have counted it. */
  NOT_SENT,

  /**
   * The outcome is unknown: the peer may yet count the request until {@code unanswered} has passed.
   */
  LOST
}
