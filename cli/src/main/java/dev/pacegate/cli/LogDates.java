package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.pacegate.cli.Instants.BadInstant;
import java.time.DateTimeException;
import java.time.LocalDate;
import org.jspecify.annotations.Nullable;

/**
 * Parses dates with a time, as logs write them. Where no zone is given it is UTC. Not thread-safe.
 */
final class LogDates {

  /** How a date with a time is written. */
  enum Shape {
    /** {@code 2026-01-31T12:00:00.123+01:00}, a space for the T, a comma for the point. */
    ISO(1),
    /** {@code 31/Jan/2026:12:00:00 +0100}: nginx, Apache, HAProxy. */
    COMMON(1),
    /** {@code Sat, 31 Jan 2026 12:00:00 GMT}: RFC 1123. */
    MAIL(6),
    /** {@code Jan 31 12:00:00}: syslog; a year may follow, or is added. */
    SYSLOG(3);

    /** Of how many words it is at least. */
    final int words;

    Shape(int words) {
      this.words = words;
    }
  }

  private static final String MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
  private static final int DAY_SECONDS = 86_400;

  private final LocalDate today;

  // The last date, as most lines have the same.
  private long date = -1;
  private long dateSeconds;

  // Of the last line of syslog.
  private int year;
  private int month;

  /**
   * Creates a parser.
   *
   * @param today is about the last day of a log without years
   */
  LogDates(LocalDate today) {
    this.today = today;
  }

  /** Returns how the text that begins here is written; null if it is no date. */
  static @Nullable Shape shape(byte[] text, int from, int to) {
    int length = to - from;
    if (length >= 10 && text[from + 4] == '-' && text[from + 7] == '-') {
      return Shape.ISO;
    } else if (length >= 11 && text[from + 2] == '/' && text[from + 6] == '/') {
      return Shape.COMMON;
    } else if (length >= 4 && text[from + 3] == ',') {
      return Shape.MAIL;
    } else if (length >= 3 && (length == 3 || text[from + 3] == ' ') && monthAt(text, from) > 0) {
      return Shape.SYSLOG;
    }
    return null;
  }

  /**
   * Returns whether a date with a time, of one word or several, is written as HAProxy does, with
   * milliseconds and no zone. There the client's address and port are usually before it.
   */
  static boolean isOfHaproxy(byte[] text, int from, int to) {
    return to - from == 24 && shape(text, from, to) == Shape.COMMON && text[from + 20] == '.';
  }

  /** Parses a date with a time, as seconds since 1970; the cursor stands at its fraction. */
  long seconds(Shape shape, TextCursor in) throws BadInstant {
    return switch (shape) {
      case ISO -> iso(in);
      case COMMON -> common(in);
      case MAIL -> mail(in);
      case SYSLOG -> syslog(in);
    };
  }

  private long iso(TextCursor in) throws BadInstant {
    int year = in.digits(4);
    in.expect('-');
    int month = in.digits(2);
    in.expect('-');
    long day = day(year, month, in.digits(2));
    if (!in.skip('T') && !in.skip('t') && !in.skip(' ')) {
      throw new BadInstant("has no time");
    }
    return day + in.timeOfDay();
  }

  private long common(TextCursor in) throws BadInstant {
    int dayOfMonth = in.digits(2);
    in.expect('/');
    int month = month(in);
    in.expect('/');
    long day = day(in.digits(4), month, dayOfMonth);
    in.expect(':');
    return day + in.timeOfDay();
  }

  private long mail(TextCursor in) throws BadInstant {
    while (!in.skip(',')) { // the name of the day
      in.next();
    }
    spaces(in);
    int dayOfMonth = in.digits(1);
    dayOfMonth = in.isAtDigit() ? 10 * dayOfMonth + in.digits(1) : dayOfMonth;
    spaces(in);
    int month = month(in);
    spaces(in);
    long day = day(in.digits(4), month, dayOfMonth);
    spaces(in);
    return day + in.timeOfDay();
  }

  private long syslog(TextCursor in) throws BadInstant {
    int month = month(in);
    spaces(in);
    int dayOfMonth = in.digits(1);
    dayOfMonth = in.isAtDigit() ? 10 * dayOfMonth + in.digits(1) : dayOfMonth;
    spaces(in);
    long time = in.timeOfDay();
    int year = in.skip(' ') ? in.digits(4) : year(month, dayOfMonth);
    return day(year, month, dayOfMonth) + time;
  }

  // The first line is of the last twelve months. A later one is of the year of the line before, but
  // for a step of more than half a year: lines of two years may be mixed.
  private int year(int month, int dayOfMonth) {
    if (this.month == 0) {
      boolean isLater =
          100 * month + dayOfMonth > 100 * today.getMonthValue() + today.getDayOfMonth() + 1;
      year = today.getYear() - (isLater ? 1 : 0);
    } else if (month - this.month < -6) {
      year++;
    } else if (month - this.month > 6) {
      year--;
    }
    this.month = month;
    return year;
  }

  private long day(int year, int month, int dayOfMonth) throws BadInstant {
    long date = (year * 100L + month) * 100 + dayOfMonth;
    if (date != this.date) {
      try {
        dateSeconds = LocalDate.of(year, month, dayOfMonth).toEpochDay() * DAY_SECONDS;
        this.date = date;
      } catch (DateTimeException e) {
        throw new BadInstant("is no date: " + e.getMessage());
      }
    }
    return dateSeconds;
  }

  private static int month(TextCursor in) throws BadInstant {
    int month = in.end() - in.at() < 3 ? 0 : monthAt(in.text(), in.at());
    for (int i = 0; i < 3; i++) {
      in.next();
    }
    if (month == 0) {
      throw new BadInstant("is no instant");
    }
    return month;
  }

  private static int monthAt(byte[] text, int from) {
    int at = MONTHS.indexOf(new String(text, from, 3, ISO_8859_1));
    return at >= 0 && at % 3 == 0 ? at / 3 + 1 : 0;
  }

  private static void spaces(TextCursor in) throws BadInstant {
    in.expect(' ');
    while (in.skip(' ')) {}
  }
}
