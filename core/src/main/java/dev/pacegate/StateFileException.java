package dev.pacegate;

import java.io.IOException;

/**
 * Thrown if the state file of a limiter cannot be used; the message names the file and a remedy.
 */
public final class StateFileException extends RuntimeException {

  private static final long serialVersionUID = 1;

  /** Used by limiters. */
  public StateFileException(IOException cause) {
    super(cause.getMessage(), cause);
  }
}
