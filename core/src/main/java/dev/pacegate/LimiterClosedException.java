package dev.pacegate;

/** Thrown where a limiter has been closed. */
public final class LimiterClosedException extends RefusedException {

  private static final long serialVersionUID = 1;

  /** Makes one: limiters do. */
  public LimiterClosedException(String limiter) {
    super(limiter, "it is closed");
  }
}
