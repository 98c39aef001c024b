package dev.pacegate.cli;

import org.jspecify.annotations.Nullable;

/** The failure of a command: the message and the exit status. */
final class Failure extends Exception {

  private final int status;

  /** Creates a failure of the input, the output or the arguments. */
  Failure(@Nullable String message) {
    this(Status.BAD, message);
  }

  /** Creates a failure with another status; without a message nothing is printed. */
  Failure(int status, @Nullable String message) {
    super(message);
    this.status = status;
  }

  int status() {
    return status;
  }
}
