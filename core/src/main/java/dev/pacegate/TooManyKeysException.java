package dev.pacegate;

/** Thrown if a {@link KeyedLimiter} knows as many keys as it may, and the key is a new one. */
public final class TooManyKeysException extends RefusedException {

  private static final long serialVersionUID = 1;

  /** Used by limiters. */
  public TooManyKeysException(String limiter, int maxKeys) {
    super(limiter, "there are " + maxKeys + " keys already");
  }
}
