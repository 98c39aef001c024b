package dev.pacegate.cli;

import dev.pacegate.cli.LogDates.Shape;
import java.util.Arrays;

/**
 * The fields of a line, separated by blanks or by a character, without surrounding blanks, quotes
 * and brackets.
 */
final class Fields implements LogRow {

  /** The separator that is any blanks. */
  static final byte BLANKS = 0;

  private static final int USUAL = 64;

  private final byte separator;
  private final int words;
  private final int most;
  private int[] from;
  private int[] to;
  private byte[] line = {};
  private int count;

  /** The number of fields that is looked for if some are counted from the end. */
  static final int ALL = Integer.MAX_VALUE / 2;

  /** Creates a splitter that looks for the first {@code most} fields only. */
  Fields(byte separator, int most) {
    this(separator, most, 0);
  }

  /**
   * Creates a splitter.
   *
   * @param words of how many blank-separated words an instant is; 0 if that is to be told from it
   */
  Fields(byte separator, int most, int words) {
    this.separator = separator;
    this.words = words;
    this.most = most;
    this.from = new int[Math.min(most, USUAL)];
    this.to = new int[from.length];
  }

  @Override
  public void read(byte[] line, int begin, int end) {
    this.line = line;
    this.count = 0;
    int at = begin;
    while (count < most && at <= end) {
      if (separator == BLANKS) {
        at = skipBlanks(at, end);
        if (at == end) {
          return;
        }
      }
      if (count == from.length) {
        from = Arrays.copyOf(from, 2 * count);
        to = Arrays.copyOf(to, 2 * count);
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
      boolean isDoubled = close + 1 < end && line[close + 1] == '"';
      if (line[close] == '"' && !isDoubled) {
        return close;
      }
      close += line[close] == '"' ? 1 : 0; // a doubled one is a part of the text
    }
    return at;
  }

  /** Returns how many columns were found. */
  int count() {
    return count;
  }

  @Override
  public boolean has(int number) {
    return Math.abs(number) <= count;
  }

  @Override
  public byte[] bytes() {
    return line;
  }

  @Override
  public int from(int number) {
    int field = fromStart(number) - 1;
    int at = skipBlanks(from[field], to[field]);
    while (at < to[field] && isAround(line[at])) {
      at++;
    }
    return at;
  }

  @Override
  public int to(int number) {
    return to(fromStart(number), fromStart(number));
  }

  @Override
  public int fromStart(int number) {
    return number > 0 ? number : count + 1 + number;
  }

  @Override
  public int toOfInstant(int column) {
    int number = fromStart(column);
    if (words > 0 && separator == BLANKS) {
      return to(number, Math.min(count, number + words - 1));
    }
    Shape shape = separator == BLANKS ? LogDates.shape(line, from(number), to(number)) : null;
    return shape == null ? to(number) : to(number, lastWord(number, shape));
  }

  private int lastWord(int number, Shape shape) {
    int last = Math.min(count, number + shape.words - 1);
    if (shape == Shape.ISO && last < count && hasTimeBehind(number)) {
      last++;
    }
    boolean isLonger =
        last < count
            && (shape == Shape.SYSLOG ? isYear(last + 1) : lacksZone(last) && isZone(last + 1));
    return isLonger ? last + 1 : last;
  }

  private boolean hasTimeBehind(int number) {
    int next = from(number + 1);
    return to(number) - from(number) == 10 && to(number + 1) - next > 2 && line[next + 2] == ':';
  }

  private boolean lacksZone(int number) {
    byte end = line[to(number) - 1];
    return end >= '0' && end <= '9';
  }

  private boolean isZone(int number) {
    int from = from(number);
    int length = to(number) - from;
    return (line[from] == '+' || line[from] == '-')
        && (length == 5 || (length == 6 && line[from + 3] == ':'));
  }

  private boolean isYear(int number) {
    int from = from(number);
    boolean is = to(number) - from == 4 && (line[from] == '1' || line[from] == '2');
    for (int at = from; is && at < from + 4; at++) {
      is = line[at] >= '0' && line[at] <= '9';
    }
    return is;
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

  /** Returns whether {@code text} has no quotes and brackets around it, which are ignored. */
  static boolean isBare(String text) {
    int last = text.length() - 1;
    return text.isEmpty() || (!isAround(text.charAt(0)) && !isAround(text.charAt(last)));
  }

  private static boolean isAround(int c) {
    return c == '"' || c == '[' || c == ']' || c == '\'';
  }
}
