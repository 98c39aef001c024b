package dev.pacegate.cli;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.jspecify.annotations.Nullable;

/**
 * What may not go now. It is counted, and if there is a file written into it: under another name
 * first, so the file may be the one that is read.
 */
final class Rest implements AutoCloseable {

  private final @Nullable Path file;
  private final @Nullable Path unfinished;
  private final OutputStream out;
  private final byte terminator;
  private long count;
  private byte last;
  private boolean isFinished;

  /**
   * @param name of the file; null if there is none
   * @param terminator of a line
   */
  Rest(@Nullable String name, char terminator) throws Failure {
    this.terminator = (byte) terminator;
    this.last = this.terminator;
    try {
      this.file = name == null ? null : Path.of(name).toAbsolutePath();
      if (file != null && Files.isDirectory(file)) {
        throw new Failure("cannot write " + name + " (Is a directory)");
      }
      this.unfinished = file == null ? null : file.resolveSibling(file.getFileName() + ".new");
      this.out =
          unfinished == null
              ? OutputStream.nullOutputStream()
              : new BufferedOutputStream(Files.newOutputStream(unfinished));
    } catch (IOException e) {
      throw Failure.cannotWrite(String.valueOf(name), e);
    } catch (InvalidPathException e) {
      throw new Failure("cannot write " + name + " (" + e.getReason() + ")");
    }
  }

  /** Adds a line without its end. */
  void addLine(byte[] line) throws Failure {
    add(line, 0, line.length);
    add(new byte[] {terminator}, 0, 1);
  }

  /** Adds bytes as they are. */
  void add(byte[] bytes, int from, int to) throws Failure {
    try {
      out.write(bytes, from, to - from);
    } catch (IOException e) {
      throw cannotWrite(e);
    }
    for (int at = from; at < to; at++) {
      count += bytes[at] == terminator ? 1 : 0;
    }
    last = to > from ? bytes[to - 1] : last;
  }

  private Failure cannotWrite(IOException e) {
    return Failure.cannotWrite(String.valueOf(file), e);
  }

  /** Returns how many lines it has. */
  long count() {
    return count + (last == terminator ? 0 : 1);
  }

  /** Gives the file its name, as there is no more. */
  void finish() throws Failure {
    try {
      out.close();
      if (file != null && unfinished != null) {
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
      }
      isFinished = true;
    } catch (IOException e) {
      throw cannotWrite(e);
    }
  }

  /** Returns what there is to tell the user; empty if nothing is left. */
  String text() {
    String lines = count() + (count() == 1 ? " line is left" : " lines are left");
    return count() == 0 ? "" : lines + (file == null ? "" : " in " + file);
  }

  @Override
  public void close() {
    try {
      out.close();
      if (unfinished != null && !isFinished) {
        Files.deleteIfExists(unfinished);
      }
    } catch (IOException remains) {
      // What was there before still is.
    }
  }
}
