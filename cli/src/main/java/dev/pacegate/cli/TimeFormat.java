package dev.pacegate.cli;

import dev.pacegate.cli.Instants.BadInstant;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.util.Locale;

/**
 * How instants are written, as {@link DateTimeFormatter} patterns say it; in UTC without a zone.
 */
final class TimeFormat {

  private static final ZonedDateTime EXAMPLE =
      ZonedDateTime.of(2026, 1, 31, 13, 45, 59, 123_000_000, ZoneOffset.UTC);

  private final String pattern;
  private final DateTimeFormatter formatter;
  private final String example;

  private TimeFormat(String pattern) {
    this.pattern = pattern;
    this.formatter =
        new DateTimeFormatterBuilder()
            .parseCaseInsensitive()
            .appendPattern(pattern)
            .toFormatter(Locale.ENGLISH);
    this.example = formatter.format(EXAMPLE);
  }

  static TimeFormat of(String pattern) throws Failure {
    try {
      var format = new TimeFormat(pattern);
      format.instant(format.example);
      return format;
    } catch (IllegalArgumentException | DateTimeException e) {
      throw new Failure(
          "--time-format takes a date and a time of day such as 'dd.MM.uuuu HH:mm:ss', not '"
              + pattern
              + "': "
              + e.getMessage());
    }
  }

  /** Returns how many words an instant has. */
  int words() {
    return example.strip().split("\\s+").length;
  }

  /**
   * Returns an instant in nanoseconds since 1970.
   *
   * @throws ArithmeticException if it is out of range
   */
  long parse(String text) throws BadInstant {
    try {
      Instant instant = instant(text);
      return Math.addExact(
          Math.multiplyExact(instant.getEpochSecond(), 1_000_000_000L), instant.getNano());
    } catch (DateTimeException e) {
      throw new BadInstant("does not match --time-format " + pattern + ", such as " + example);
    }
  }

  private Instant instant(String text) {
    TemporalAccessor read = formatter.parse(text);
    return read.isSupported(ChronoField.INSTANT_SECONDS)
        ? Instant.from(read)
        : LocalDateTime.from(read).toInstant(zone(read));
  }

  private static ZoneOffset zone(TemporalAccessor read) {
    return read.isSupported(ChronoField.OFFSET_SECONDS) ? ZoneOffset.from(read) : ZoneOffset.UTC;
  }
}
