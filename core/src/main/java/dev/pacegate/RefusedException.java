package dev.pacegate;

/** Thrown if a limiter refuses a permit. Nothing was charged. */
public abstract class RefusedException extends RuntimeException {

  private static final long serialVersionUID = 1;

  RefusedException(String limiter, String reason) {
    super("limiter " + limiter + ": " + reason);
  }
}
