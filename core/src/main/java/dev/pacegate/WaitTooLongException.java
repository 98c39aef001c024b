package dev.pacegate;

import java.time.Duration;

/** Thrown where a permit cannot be had within the time that the caller is willing to wait. */
public final class WaitTooLongException extends RefusedException {

  private static final long serialVersionUID = 1;

  private final Duration atLeast;

  WaitTooLongException(String limiter, Duration atLeast) {
    super(limiter, "the wait is at least " + atLeast + ", longer than allowed");
    this.atLeast = atLeast;
  }

  /**
   * Returns a lower bound of the wait from the moment of the refusal, under the limit of that
   * moment; zero if nothing is known but that time alone will not do.
   */
  public Duration atLeast() {
    return atLeast;
  }
}
