package dev.pacegate.limit;

/** How a permit ended: what is known of the request it was for. */
public enum Outcome {

  /** The answer is in: the peer has counted the request, and counts nothing of it from now on. */
  ANSWERED,

  /** Provably never sent: the peer cannot have counted it. */
  NOT_SENT,

  /** Outcome unknown: the peer may yet count it, until it has been unanswered long enough. */
  LOST
}
