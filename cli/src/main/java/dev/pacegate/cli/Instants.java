package dev.pacegate.cli;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Locale;

/**
 * Parses and formats instants of logs, in nanoseconds since 1970, exactly.
 *
 * <p>They are dates with a time ({@code 2026-01-31T12:00:00.123+01:00}; a space in place of the T,
 * a comma in place of the point, no zone for UTC) or numbers of a unit since 1970 ({@code
 * 1769860800.123}; no comma, which separates columns). Not thread-safe.
 */
final class Instants {

  /** Thrown for a text that is no instant. */
  static final class BadInstant extends Exception {
    BadInstant(String problem) {
      super(problem);
    }
  }

  /** The unit of numbers. */
  enum Unit {
    S(1_000_000_000, 9),
    MS(1_000_000, 6),
    US(1_000, 3),
    NS(1, 0);

    private final long nanos;
    private final int decimals;

    Unit(long nanos, int decimals) {
      this.nanos = nanos;
      this.decimals = decimals;
    }
  }

  private static final long SECOND = Unit.S.nanos;
  private static final int DAY_SECONDS = 86_400;

  private final Unit unit;
  private boolean dated;

  // The text being parsed.
  private byte[] text = {};
  private int at;
  private int end;

  // The last date, as most lines have the same.
  private long date = -1;
  private long dateSeconds;

  Instants(Unit unit) {
    this.unit = unit;
  }

  /**
   * Parses an instant that begins at {@code from}.
   *
   * @throws BadInstant if there is none, or it does not reach to {@code to}
   */
  long parse(byte[] text, int from, int to) throws BadInstant {
    this.text = text;
    this.at = from;
    this.end = to;
    try {
      long nanos = isDate() ? dateTime() : number();
      if (at < end) {
        throw bad("has something behind the instant (see --column)");
      }
      return nanos;
    } catch (ArithmeticException e) {
      throw bad("is outside of the years 1678 to 2261" + hint());
    }
  }

  private String hint() {
    return dated || unit != Unit.S ? "" : " (see --unit)";
  }

  /** Returns whether a date is at {@code from}. */
  static boolean isDate(byte[] text, int from, int to) {
    return to - from >= 10 && text[from + 4] == '-' && text[from + 7] == '-';
  }

  private boolean isDate() {
    return isDate(text, at, end);
  }

  // ---- numbers

  private long number() throws BadInstant {
    boolean negative = at < end && text[at] == '-';
    if (negative) {
      at++;
    }
    int digits = at;
    long whole = 0;
    while (at < end && isDigit(text[at])) {
      whole = Math.addExact(Math.multiplyExact(whole, 10), text[at++] - '0');
    }
    if (at == digits) {
      throw bad("is no instant");
    }
    long fraction = fraction(unit.decimals, false);
    long nanos = Math.addExact(Math.multiplyExact(whole, unit.nanos), fraction);
    return negative ? -nanos : nanos;
  }

  /** Parses the digits behind a point (or a comma, if {@code maybeComma}) as nanoseconds. */
  private long fraction(int decimals, boolean maybeComma) throws BadInstant {
    if (at == end || (text[at] != '.' && !(maybeComma && text[at] == ','))) {
      return 0;
    }
    int first = ++at;
    long fraction = 0;
    for (; at < end && isDigit(text[at]); at++) {
      if (at - first < decimals) {
        fraction = 10 * fraction + (text[at] - '0');
      } else if (text[at] != '0') {
        throw bad("is finer than a nanosecond");
      }
    }
    for (int i = at - first; i < decimals; i++) {
      fraction *= 10;
    }
    return fraction;
  }

  // ---- dates

  private long dateTime() throws BadInstant {
    dated = true;
    long seconds = date();
    if (at == end || (text[at] != 'T' && text[at] != 't' && text[at] != ' ')) {
      throw bad("has no time");
    }
    at++;
    seconds += time();
    long fraction = fraction(9, true);
    seconds -= offset();
    return Math.addExact(Math.multiplyExact(seconds, SECOND), fraction);
  }

  private long date() throws BadInstant {
    int year = digits(4);
    expect('-');
    int month = digits(2);
    expect('-');
    int day = digits(2);
    long date = (year * 100L + month) * 100 + day;
    if (date != this.date) {
      try {
        dateSeconds = LocalDate.of(year, month, day).toEpochDay() * DAY_SECONDS;
        this.date = date;
      } catch (DateTimeException e) {
        throw bad("is no date: " + e.getMessage());
      }
    }
    return dateSeconds;
  }

  private long time() throws BadInstant {
    long hours = atMost(23, digits(2));
    expect(':');
    long minutes = atMost(59, digits(2));
    long seconds = 0;
    if (at < end && text[at] == ':') {
      at++;
      seconds = atMost(59, digits(2));
    }
    return (hours * 60 + minutes) * 60 + seconds;
  }

  /** Parses a zone: Z, +01:00, +0100, +01, or nothing for UTC. */
  private long offset() throws BadInstant {
    if (at < end && (text[at] == 'Z' || text[at] == 'z')) {
      at++;
      return 0;
    }
    if (at == end || (text[at] != '+' && text[at] != '-')) {
      return 0;
    }
    int sign = text[at++] == '-' ? -1 : 1;
    long hours = atMost(18, digits(2));
    if (at < end && text[at] == ':') {
      at++;
    }
    long minutes = at < end ? atMost(59, digits(2)) : 0;
    return sign * (hours * 60 + minutes) * 60;
  }

  private int digits(int count) throws BadInstant {
    int value = 0;
    for (int i = 0; i < count; i++) {
      if (at == end || !isDigit(text[at])) {
        throw bad("is no instant");
      }
      value = 10 * value + (text[at++] - '0');
    }
    return value;
  }

  private void expect(char c) throws BadInstant {
    if (at == end || text[at++] != c) {
      throw bad("is no instant");
    }
  }

  private int atMost(int most, int value) throws BadInstant {
    if (value > most) {
      throw bad("has " + value + " where at most " + most + " can be");
    }
    return value;
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }

  private BadInstant bad(String problem) {
    return new BadInstant(problem);
  }

  // ---- writing

  /** Formats an instant as the parsed ones were written. */
  String format(long nanos) {
    if (dated) {
      return Instant.ofEpochSecond(Math.floorDiv(nanos, SECOND), Math.floorMod(nanos, SECOND))
          .toString();
    }
    String digits = String.format(Locale.ROOT, "%0" + (unit.decimals + 1) + "d", Math.abs(nanos));
    int point = digits.length() - unit.decimals;
    String fraction = digits.substring(point).replaceAll("0+$", "");
    return (nanos < 0 ? "-" : "")
        + digits.substring(0, point)
        + (fraction.isEmpty() ? "" : "." + fraction);
  }
}
