package dev.pacegate;

/**
 * Thrown if the wait queue is full: as many callers wait as {@link Limiter.Builder#maxWaiting}
 * allows, or {@link KeyedLimiter.Builder#maxWaitingPerKey} for one key.
 */
public final class WaitQueueFullException extends RefusedException {

  private static final long serialVersionUID = 1;

  /** Used by limiters. */
  public WaitQueueFullException(String limiter, String maxWaiting) {
    super(limiter, "the wait queue is full: " + maxWaiting);
  }
}
