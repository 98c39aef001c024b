package dev.pacegate;

/** Thrown where a limiter gives no permit. Nothing was charged. */
public abstract class RefusedException extends RuntimeException {

  private static final long serialVersionUID = 1;

  RefusedException(String limiter, String reason) {
    super("limiter " + limiter + ": " + reason);
  }
}
