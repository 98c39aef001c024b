package dev.pacegate.dispatch;

/** How a {@link Throttler} treats a message when its queue is full. */
public enum Overflow {
  /** The sender waits for room. */
  BLOCK,
  /** The sender gets a {@link QueueFullException}. */
  REJECT,
  /** The message is dropped. */
  DROP_NEWEST,
  /** The oldest queued message is dropped. */
  DROP_OLDEST,
  /** All queued messages are dropped. */
  KEEP_LATEST
}
