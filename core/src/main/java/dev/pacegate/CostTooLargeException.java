package dev.pacegate;

import dev.pacegate.limit.Cost;

/**
 * Thrown if a request costs more than the limit can ever let through, or more than it can ever let
 * through at once if the request does not wait.
 */
public final class CostTooLargeException extends RefusedException {

  private static final long serialVersionUID = 1;

  /** Used by limiters: the cost can never pass in the {@code way} in which it was asked for. */
  public CostTooLargeException(String limiter, Cost cost, String way) {
    super(limiter, "a cost of " + cost + " can never pass " + way);
  }
}
