package dev.pacegate.cli;

import org.jspecify.annotations.Nullable;

/**
 * The end of a command that could not do what it was asked to: what to say, and the exit status.
 */
final class Failure extends Exception {

  private final int status;

  /** A failure of the input, the output or the arguments. */
  Failure(@Nullable String message) {
    this(Status.BAD, message);
  }

  /** A failure with another status; without a message nothing is said. */
  Failure(int status, @Nullable String message) {
    super(message);
    this.status = status;
  }

  int status() {
    return status;
  }
}
