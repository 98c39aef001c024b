package dev.pacegate;

/** Thrown where a {@link KeyedLimiter} knows as many keys as it may, and this is a new one. */
public final class TooManyKeysException extends RefusedException {

  private static final long serialVersionUID = 1;

  /** Makes one: limiters do. */
  public TooManyKeysException(String limiter, int maxKeys) {
    super(limiter, "there are " + maxKeys + " keys already");
  }
}
