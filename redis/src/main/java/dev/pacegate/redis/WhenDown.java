package dev.pacegate.redis;

/** What requests do while the store cannot be reached. In neither case is one let through. */
public enum WhenDown {
  /** They wait until the store is back, or for as long as they want to wait. */
  WAIT,
  /** They are refused with a {@link dev.pacegate.SourceUnavailableException}. */
  FAIL
}
