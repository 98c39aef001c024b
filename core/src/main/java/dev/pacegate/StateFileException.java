package dev.pacegate;

import java.io.IOException;

/** The state file of a limiter cannot be used; the message names it and says what to do. */
public final class StateFileException extends RuntimeException {

  private static final long serialVersionUID = 1;

  /** Makes one: limiters do. */
  public StateFileException(IOException cause) {
    super(cause.getMessage(), cause);
  }
}
