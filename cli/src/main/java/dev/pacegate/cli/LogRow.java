package dev.pacegate.cli;

/**
 * A line of a log, split into columns, which are counted from 1, or backwards from -1, the last.
 */
interface LogRow {

  /** Moves to the line in {@code line} from {@code begin} to {@code end}. */
  void read(byte[] line, int begin, int end) throws BadRow;

  /** Returns whether the line has that column. */
  boolean has(int column);

  /** Returns the number of a column from 1, as its line has it. */
  default int fromStart(int column) {
    return column;
  }

  /** Returns an array that contains the columns, valid until the next line. */
  byte[] bytes();

  /** Returns where in {@link #bytes} a column begins. */
  int from(int column);

  /** Returns where in {@link #bytes} a column ends. */
  int to(int column);

  /** As {@link #to}, or where a later column ends, if the instant in this one goes on there. */
  int toOfInstant(int column);

  /** Thrown for a line that is none. */
  final class BadRow extends Exception {
    BadRow(String problem) {
      super(problem);
    }
  }
}
