package dev.pacegate;

/** Thrown if the limiter has been closed. */
public final class LimiterClosedException extends RefusedException {

  private static final long serialVersionUID = 1;

  /** Used by limiters. */
  public LimiterClosedException(String limiter) {
    super(limiter, "it is closed");
  }
}
