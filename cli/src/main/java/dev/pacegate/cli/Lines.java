package dev.pacegate.cli;

import java.util.Arrays;

/**
 * The lines of an input, one after another, as bytes without their terminator. The last line need
 * not have one.
 */
final class Lines {

  /** The longest line: longer than any argument of a command may be. */
  static final int LONGEST = 1 << 20;

  private final Input in;
  private final byte terminator;
  private byte[] buffer = new byte[1 << 16];
  private int from; // of the line
  private int to; // of the line, excluded
  private int next; // where the line after it begins
  private int filled;
  private long number;

  Lines(Input in, char terminator) {
    this.in = in;
    this.terminator = (byte) terminator;
  }

  /** Moves to the next line; returns whether there is one. */
  boolean advance() throws Failure {
    from = next;
    to = next;
    do {
      to = endOfLine();
    } while (to == filled && fill());
    next = Math.min(to + 1, filled);
    if (from == filled) {
      return false;
    }
    number++;
    if (to - from > LONGEST) {
      throw new Failure(where() + " is longer than 1 MiB");
    }
    return true;
  }

  /** Returns an array that contains the line, valid until the next line. */
  byte[] bytes() {
    return buffer;
  }

  /** Returns where in {@link #bytes} the line begins. */
  int from() {
    return from;
  }

  /** Returns where in {@link #bytes} the line ends. */
  int to() {
    return to;
  }

  /** Returns the line. */
  byte[] copy() {
    return Arrays.copyOfRange(buffer, from, to);
  }

  /** Returns the number of the line, the first being 1. */
  long number() {
    return number;
  }

  /** Returns the position of the line, for messages. */
  String where() {
    return "line " + number + " of " + in.name();
  }

  /** Reads more bytes of the line, unless it is too long; returns whether it did. */
  private boolean fill() throws Failure {
    if (to - from > LONGEST) {
      return false;
    }
    if (from > 0) {
      System.arraycopy(buffer, from, buffer, 0, to - from);
    } else if (filled == buffer.length) {
      buffer = Arrays.copyOf(buffer, 2 * filled);
    }
    filled = to - from;
    to = filled;
    from = 0;
    int read = in.read(buffer, filled);
    filled += Math.max(0, read);
    return read > 0;
  }

  private int endOfLine() {
    byte[] bytes = buffer;
    int end = filled;
    for (int i = to; i < end; i++) {
      if (bytes[i] == terminator) {
        return i;
      }
    }
    return end;
  }
}
