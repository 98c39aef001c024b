package dev.pacegate.cli;

import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * What may not go now. It is counted, and if there is a file written into it: into a temporary file
 * beside it first, so the file may be the one that is read. Until a line is left, nothing is made.
 */
final class Rest implements AutoCloseable {

  private final @Nullable ReplacedFile file;
  private final byte terminator;
  private @Nullable OutputStream out;
  private long count;
  private byte last;
  private boolean isClosed;

  /**
   * Changes nothing yet.
   *
   * @param file null if there is none
   * @param terminator of a line
   */
  Rest(@Nullable ReplacedFile file, char terminator) {
    this.terminator = (byte) terminator;
    this.last = this.terminator;
    this.file = file;
  }

  /** Adds a line without its end. */
  synchronized void addLine(byte[] line) throws Failure {
    add(line, 0, line.length);
    add(new byte[] {terminator}, 0, 1);
  }

  /** Adds bytes as they are. */
  synchronized void add(byte[] bytes, int from, int to) throws Failure {
    if (isClosed) {
      return;
    }
    try {
      out().write(bytes, from, to - from);
    } catch (IOException e) {
      throw cannotWrite(e);
    }
    for (int at = from; at < to; at++) {
      count += bytes[at] == terminator ? 1 : 0;
    }
    last = to > from ? bytes[to - 1] : last;
  }

  private OutputStream out() throws IOException {
    if (out == null) {
      out = file == null ? OutputStream.nullOutputStream() : file.create();
    }
    return out;
  }

  private Failure cannotWrite(IOException e) {
    return Failure.cannotWrite(String.valueOf(file), e);
  }

  /** Returns how many lines it has. */
  synchronized long count() {
    return count + (last == terminator ? 0 : 1);
  }

  /** Gives the file its name, as there is no more. */
  synchronized void finish() throws Failure {
    if (isClosed) { // by a signal
      throw new Failure(Status.INTERRUPTED, null);
    }
    try {
      out().close();
      if (file != null) {
        file.replace();
      }
      isClosed = true;
    } catch (IOException e) {
      throw cannotWrite(e);
    }
  }

  /** Returns what there is to tell the user; empty if nothing is left. */
  String text() {
    String lines = count() + (count() == 1 ? " line is left" : " lines are left");
    return count() == 0 ? "" : lines + (file == null ? "" : " in " + file);
  }

  /** Drops what has not been finished: what was there before still is. */
  @Override
  public synchronized void close() {
    isClosed = true;
    try {
      if (file != null) {
        file.drop();
      }
      if (out != null) {
        out.close();
      }
    } catch (IOException remains) {
      // There is nothing more to do about it.
    }
  }
}
