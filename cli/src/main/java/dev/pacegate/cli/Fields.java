package dev.pacegate.cli;

/**
 * The fields of a line, separated by blanks or by a character, without surrounding blanks, quotes
 * and brackets.
 */
final class Fields {

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

  /** Splits the line in {@code line} from {@code begin} to {@code end}. */
  void split(byte[] line, int begin, int end) {
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
      while (at < end && !separates(line[at])) {
        at++;
      }
      to[count++] = at++;
    }
  }

  /** Returns how many fields were found. */
  int count() {
    return count;
  }

  /** Returns whether there is nothing on the line. */
  boolean isEmpty() {
    return count == 0 || (count == 1 && from(1) == to(1));
  }

  /** Returns where field {@code number}, counted from 1, begins. */
  int from(int number) {
    int at = skipBlanks(from[number - 1], to[number - 1]);
    while (at < to[number - 1] && isAround(line[at])) {
      at++;
    }
    return at;
  }

  /** Returns where field {@code number}, counted from 1, ends. */
  int to(int number) {
    return to(number, number);
  }

  /**
   * Returns where field {@code number} ends, or the next one if that continues it as a time of day.
   */
  int toWithTime(int number) {
    boolean date =
        to[number - 1] - from(number) == 10 && Instants.isDate(line, from(number), to[number - 1]);
    boolean split = date && separator == BLANKS && number < count && isTime(number);
    return to(number, split ? number + 1 : number);
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

  private boolean isTime(int index) {
    return to[index] - from[index] > 2 && line[from[index] + 2] == ':';
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
