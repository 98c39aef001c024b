package dev.pacegate;

/** Thrown where as many wait already as the limiter was told to let wait. */
public final class WaitQueueFullException extends RefusedException {

  private static final long serialVersionUID = 1;

  /** Makes one: limiters do. */
  public WaitQueueFullException(String limiter) {
    super(limiter, "as many are waiting as may wait");
  }
}
