package dev.pacegate.dispatch;

/** What becomes of a message that finds the queue of a {@link Throttler} full. */
public enum Overflow {
  /** The sender waits for room. */
  BLOCK,
  /** Sending it fails. */
  REJECT,
  /** It is dropped. */
  DROP_NEWEST,
  /** The message that has been queued for longest is dropped in its favour. */
  DROP_OLDEST,
  /** Everything that is queued is dropped in its favour. */
  KEEP_LATEST
}
