package dev.pacegate;

/**
 * Thrown if the {@linkplain Limiter.Builder#source source} of the limiter's permits is unavailable
 * and refuses requests until it is back.
 */
public final class SourceUnavailableException extends RefusedException {

  private static final long serialVersionUID = 1;

  /** Used by limiters. */
  public SourceUnavailableException(String limiter, String why) {
    super(limiter, "its source is unavailable: " + why);
  }
}
