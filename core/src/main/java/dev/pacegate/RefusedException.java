package dev.pacegate;

/** Thrown where a limiter gives no permit. Nothing was charged. */
public abstract sealed class RefusedException extends RuntimeException
    permits CostTooLargeException,
        LimiterClosedException,
        LineFullException,
        TooManyKeysException,
        WaitTooLongException {

  private static final long serialVersionUID = 1;

  RefusedException(String limiter, String reason) {
    super("limiter " + limiter + ": " + reason);
  }
}
