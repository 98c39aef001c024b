package dev.pacegate.cli;

import dev.pacegate.cli.Instants.BadInstant;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalQueries;
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
            .parseDefaulting(ChronoField.ERA, 1) // else yyyy is no year to the strict
            .toFormatter(Locale.ENGLISH)
            .withResolverStyle(ResolverStyle.STRICT);
    this.example = formatter.format(EXAMPLE);
  }

  static TimeFormat of(String pattern) throws Failure {
    try {
      var format = new TimeFormat(pattern);
      format.check();
      return format;
    } catch (IllegalArgumentException | DateTimeException e) {
      throw new Failure(
          "--time-format takes a date and a time of day such as 'dd.MM.uuuu HH:mm:ss', not '"
              + pattern
              + "': "
              + e.getMessage());
    }
  }

  private void check() {
    String letters = pattern.replaceAll("'[^']*'", "");
    refuseIf(
        letters.matches(".*[zvB].*"),
        "z, v and B are names that may be of several words or mean several times");
    refuseIf(
        hasBlankInOptionalPart(),
        "an optional part [] cannot have blanks, as these separate columns");
    refuseIf(
        !Fields.isBare(example),
        "quotes and brackets around an instant are ignored, so leave them out");
    TemporalAccessor read = formatter.parse(example);
    refuseIf(
        read.query(TemporalQueries.localDate()) == null,
        "it has no date" + (letters.contains("Y") ? "; did you mean uuuu?" : ""));
    refuseIf(read.query(TemporalQueries.localTime()) == null, "it has no time of day");
    refuseIf(
        isOfZoneAlone(read),
        "the name of a zone needs its offset beside it (XX), as it has two in autumn");
  }

  private static void refuseIf(boolean wrong, String problem) {
    if (wrong) {
      throw new DateTimeException(problem);
    }
  }

  private boolean hasBlankInOptionalPart() {
    boolean isQuoted = false;
    int depth = 0;
    for (int at = 0; at < pattern.length(); at++) {
      char c = pattern.charAt(at);
      isQuoted ^= c == '\'';
      depth += isQuoted ? 0 : c == '[' ? 1 : c == ']' ? -1 : 0;
      if (depth > 0 && Character.isWhitespace(c)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isOfZoneAlone(TemporalAccessor read) {
    return read.query(TemporalQueries.zoneId()) != null
        && !read.isSupported(ChronoField.OFFSET_SECONDS);
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
      TemporalAccessor read = formatter.parse(text);
      refuseIf(isOfZoneAlone(read), "it has no offset");
      return nanos(read);
    } catch (DateTimeException e) {
      throw new BadInstant("does not match --time-format " + pattern + ", such as " + example);
    }
  }

  private static long nanos(TemporalAccessor read) {
    ZoneOffset offset =
        read.isSupported(ChronoField.OFFSET_SECONDS) ? ZoneOffset.from(read) : ZoneOffset.UTC;
    Instant instant = LocalDateTime.from(read).toInstant(offset);
    return Math.addExact(
        Math.multiplyExact(instant.getEpochSecond(), 1_000_000_000L), instant.getNano());
  }
}
