package dev.pacegate.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
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

  /** Returns that {@code file} cannot be written: a typo if it cannot be there at all. */
  static Failure cannotWrite(String file, IOException e) {
    if (e instanceof NoSuchFileException) {
      return new Failure("cannot write " + file + " (No such file or directory)");
    }
    String why = e instanceof FileSystemException of ? of.getReason() : e.getMessage();
    if (e instanceof AccessDeniedException) {
      why = "Permission denied";
    }
    boolean isTypo = "Is a directory".equals(why);
    return new Failure(
        isTypo ? Status.BAD : Status.IO,
        "cannot write " + file + (why == null ? "" : " (" + why + ")"));
  }

  int status() {
    return status;
  }
}
