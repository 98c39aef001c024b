package dev.pacegate.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Standard output, with failures that name their cause. */
final class Output {

  private static final int KIND = 0170000;
  private static final int PIPE = 0010000;
  private static final int SOCKET = 0140000;

  private final OutputStream out;

  Output(OutputStream out) {
    this.out = out;
  }

  /**
   * Writes bytes at once.
   *
   * @throws Failure if that fails; without a message if the reader of the output is gone
   */
  void write(byte[] bytes, int from, int length) throws Failure {
    try {
      out.write(bytes, from, length);
    } catch (IOException e) {
      throw failure(e);
    }
  }

  /** Returns the failure of writing; without a message if the reader of the output is gone. */
  static Failure failure(IOException e) {
    return isReadByAProcess()
        ? new Failure(Status.NO_READER, null)
        : new Failure(Status.IO, "cannot write to standard output: " + e.getMessage());
  }

  void write(String text) throws Failure {
    byte[] bytes = text.getBytes(World.NATIVE);
    write(bytes, 0, bytes.length);
  }

  /**
   * Returns whether standard output is a pipe or a socket. Writing to one fails because its reader
   * is gone; the message of the error would tell as well, but in the language of the user.
   */
  static boolean isReadByAProcess() {
    try {
      int mode = (Integer) Files.getAttribute(Path.of("/dev/fd/1"), "unix:mode") & KIND;
      return mode == PIPE || mode == SOCKET;
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException unknown) {
      return false;
    }
  }
}
