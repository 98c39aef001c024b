package dev.pacegate.cli;

import dev.pacegate.cli.Instants.BadInstant;

/** A place in a text of ASCII that is parsed. Not thread-safe. */
final class TextCursor {

  private byte[] text = {};
  private int at;
  private int end;

  /** Begins at {@code from} of a text that ends at {@code to}. */
  void begin(byte[] text, int from, int to) {
    this.text = text;
    this.at = from;
    this.end = to;
  }

  byte[] text() {
    return text;
  }

  int at() {
    return at;
  }

  int end() {
    return end;
  }

  boolean isAtEnd() {
    return at == end;
  }

  /** Returns whether {@code c} is next. */
  boolean isAt(char c) {
    return at < end && text[at] == c;
  }

  boolean isAtDigit() {
    return at < end && text[at] >= '0' && text[at] <= '9';
  }

  /** Skips {@code c} if it is next, and returns whether it is. */
  boolean skip(char c) {
    boolean is = isAt(c);
    at += is ? 1 : 0;
    return is;
  }

  void expect(char c) throws BadInstant {
    if (!skip(c)) {
      throw new BadInstant("is no instant");
    }
  }

  /** Returns the next byte, and moves behind it. */
  byte next() throws BadInstant {
    if (at == end) {
      throw new BadInstant("is no instant");
    }
    return text[at++];
  }

  /** Parses exactly so many digits. */
  int digits(int count) throws BadInstant {
    int value = 0;
    for (int i = 0; i < count; i++) {
      if (!isAtDigit()) {
        throw new BadInstant("is no instant");
      }
      value = 10 * value + (text[at++] - '0');
    }
    return value;
  }

  /** Parses a time of day, of which the seconds may be left out, as seconds. */
  long timeOfDay() throws BadInstant {
    long hours = atMost(23, digits(2));
    expect(':');
    long minutes = atMost(59, digits(2));
    long seconds = skip(':') ? atMost(59, digits(2)) : 0;
    return (hours * 60 + minutes) * 60 + seconds;
  }

  /**
   * Parses a zone (Z, +01:00, +0100, +01, these behind a blank, GMT, or nothing for UTC) as
   * seconds.
   */
  long zone() throws BadInstant {
    if (skip('Z') || skip('z') || word(" GMT") || word(" UTC")) {
      return 0;
    }
    boolean blank = isAt(' ') && at + 1 < end && (text[at + 1] == '+' || text[at + 1] == '-');
    at += blank ? 1 : 0;
    if (!isAt('+') && !isAt('-')) {
      return 0;
    }
    int sign = next() == '-' ? -1 : 1;
    long hours = atMost(18, digits(2));
    skip(':');
    long minutes = isAtEnd() ? 0 : atMost(59, digits(2));
    return sign * (hours * 60 + minutes) * 60;
  }

  private boolean word(String word) {
    for (int i = 0; i < word.length(); i++) {
      if (at + i >= end || text[at + i] != word.charAt(i)) {
        return false;
      }
    }
    at += word.length();
    return true;
  }

  /** Parses the digits behind a point (or a comma, if {@code maybeComma}) as nanoseconds. */
  long fraction(int decimals, boolean maybeComma) throws BadInstant {
    if (!skip('.') && !(maybeComma && skip(','))) {
      return 0;
    }
    int first = at;
    long fraction = 0;
    for (; isAtDigit(); at++) {
      if (at - first < decimals) {
        fraction = 10 * fraction + (text[at] - '0');
      } else if (text[at] != '0') {
        throw new BadInstant("is finer than a nanosecond");
      }
    }
    for (int i = at - first; i < decimals; i++) {
      fraction *= 10;
    }
    return fraction;
  }

  private static int atMost(int most, int value) throws BadInstant {
    if (value > most) {
      throw new BadInstant("has " + value + " where at most " + most + " can be");
    }
    return value;
  }
}
