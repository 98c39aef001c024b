package dev.pacegate.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
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

  /** Returns that {@code file} cannot be opened: a typo if it cannot be there at all. */
  static Failure cannotOpen(String file, IOException e) {
    return cannot("write ", file, e);
  }

  /** Returns that {@code file} cannot be read: a typo if it cannot be there at all. */
  static Failure cannotRead(String file, IOException e) {
    return cannot("read ", file, e);
  }

  private static Failure cannot(String what, String file, IOException e) {
    boolean isFolder = Files.isDirectory(Path.of(file)); // reasons are in the user's language
    boolean isTypo = isFolder || e instanceof NoSuchFileException;
    return new Failure(
        isTypo ? Status.BAD : Status.IO,
        "cannot " + what + file + (isFolder ? " (Is a directory)" : why(e)));
  }

  /** Returns that writing {@code file}, which is open, failed. */
  static Failure cannotWrite(String file, IOException e) {
    return new Failure(Status.IO, "cannot write " + file + why(e));
  }

  private static String why(IOException e) {
    if (e instanceof NoSuchFileException) {
      return " (No such file or directory)";
    } else if (e instanceof AccessDeniedException) {
      return " (Permission denied)";
    }
    String why = e instanceof FileSystemException of ? of.getReason() : e.getMessage();
    return why == null ? "" : " (" + why + ")";
  }

  int status() {
    return status;
  }
}
