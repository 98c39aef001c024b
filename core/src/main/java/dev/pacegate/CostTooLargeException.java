package dev.pacegate;

import dev.pacegate.limit.Cost;

/** Thrown where a cost is so large that the limit can never let it through. */
public final class CostTooLargeException extends RefusedException {

  private static final long serialVersionUID = 1;

  /** Makes one: limiters do. */
  public CostTooLargeException(String limiter, Cost cost) {
    super(limiter, "a cost of " + cost + " can never pass");
  }
}
