package dev.pacegate;

import java.io.IOException;

/**
 * Thrown if the state file of a limiter cannot be used; the message names the file and a remedy.
 */
public final class StateFileException extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final boolean inUse;

  /** Used by limiters. */
  public StateFileException(IOException cause, boolean inUse) {
    super(cause.getMessage(), cause);
    this.inUse = inUse;
  }

  /** Returns whether another limiter, of this process or of another, uses the file. */
  public boolean isInUse() {
    return inUse;
  }
}
