package dev.pacegate.state;

import java.io.IOException;
import java.nio.file.Path;

/** Thrown if another limiter uses a state file. */
public final class StateInUseException extends IOException {

  private static final long serialVersionUID = 1;

  StateInUseException(Path file) {
    super(
        "the state file "
            + file
            + " is in use by another limiter: a limiter reads it only when it begins, so it would"
            + " not know what the other lets through; give each its own");
  }
}
