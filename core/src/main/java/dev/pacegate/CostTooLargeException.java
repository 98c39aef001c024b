package dev.pacegate;

import dev.pacegate.limit.Cost;

/**
 * Thrown if a request costs more than the limit can ever let through, or more than it can ever let
 * through at once if the request does not wait.
 */
public final class CostTooLargeException extends RefusedException {

  private static final long serialVersionUID = 1;

  /** Used by limiters. */
  public CostTooLargeException(String limiter, Cost cost, String limits) {
    super(limiter, "a cost of " + cost + " can never pass under " + limits);
  }
}
