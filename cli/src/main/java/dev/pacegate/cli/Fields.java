package dev.pacegate.cli;

import dev.pacegate.cli.LogDates.Shape;

/**
 * The fields of a line, separated by blanks or by a character, without surrounding blanks, quotes
 * and brackets.
 */
final class Fields implements Row {

  /** The separator that is any blanks. */
  static final byte BLANKS = 0;

  private final byte separator;
  private final int[] from;
  private final int[] to;
  private byte[] line = {};
  private int count;

  /** Creates a splitter that looks for the first {@code most} fields only. */
  Fields(byte separator, int most) {
    this.separator = separator;
    this.from = new int[most];
    this.to = new int[most];
  }

  @Override
  public void read(byte[] line, int begin, int end) {
    this.line = line;
    this.count = 0;
    int at = begin;
    while (count < from.length && at <= end) {
      if (separator == BLANKS) {
        at = skipBlanks(at, end);
        if (at == end) {
          return;
        }
      }
      from[count] = at;
      at = endOfQuote(at, end);
      while (at < end && !separates(line[at])) {
        at++;
      }
      to[count++] = at++;
    }
  }

  // Separators in quotes are none, but blanks: tools for logs count the words of a request, too.
  private int endOfQuote(int at, int end) {
    if (separator == BLANKS || at == end || line[at] != '"') {
      return at;
    }
    for (int close = at + 1; close < end; close++) {
      if (line[close] == '"') {
        return close;
      }
    }
    return at;
  }

  /** Returns how many columns were found. */
  int count() {
    return count;
  }

  @Override
  public boolean has(int number) {
    return number <= count;
  }

  @Override
  public byte[] bytes() {
    return line;
  }

  @Override
  public int from(int number) {
    int at = skipBlanks(from[number - 1], to[number - 1]);
    while (at < to[number - 1] && isAround(line[at])) {
      at++;
    }
    return at;
  }

  @Override
  public int to(int number) {
    return to(number, number);
  }

  @Override
  public int toOfInstant(int number) {
    Shape shape = separator == BLANKS ? LogDates.shape(line, from(number), to(number)) : null;
    int last = number;
    if (shape != null && shape.words > 2) {
      last = number + shape.words - 1;
    } else if (shape != null && number < count && goesOn(number, shape)) {
      last = number + 1;
    }
    return to(number, Math.min(last, count));
  }

  // With the time of day of a date, or the zone of both.
  private boolean goesOn(int number, Shape shape) {
    int next = from(number + 1);
    int length = to(number + 1) - next;
    return shape == Shape.ISO
        ? to(number) - from(number) == 10 && length > 2 && line[next + 2] == ':'
        : length == 5 && (line[next] == '+' || line[next] == '-');
  }

  private int to(int first, int last) {
    int at = to[last - 1];
    int begin = from(first);
    while (at > begin && isBlank(line[at - 1])) {
      at--;
    }
    while (at > begin && isAround(line[at - 1])) {
      at--;
    }
    return at;
  }

  private boolean separates(byte b) {
    return separator == BLANKS ? isBlank(b) : b == separator;
  }

  private int skipBlanks(int at, int end) {
    int next = at;
    while (next < end && isBlank(line[next])) {
      next++;
    }
    return next;
  }

  private static boolean isBlank(byte b) {
    return b == ' ' || b == '\t' || b == '\r';
  }

  private static boolean isAround(byte b) {
    return b == '"' || b == '[' || b == ']' || b == '\'';
  }
}
