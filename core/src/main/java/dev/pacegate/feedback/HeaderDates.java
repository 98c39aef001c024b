package dev.pacegate.feedback;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Parses dates in headers: RFC 3339, and the three formats of RFC 9110, section 5.6.7. Those are
 * read without their weekday, which adds nothing and may be wrong, and with UTC for GMT.
 */
final class HeaderDates {

  /** The longest text that can be a date. */
  private static final int LONGEST = 100;

  private static final Pattern WEEKDAY =
      Pattern.compile("^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},?\\s+", Pattern.CASE_INSENSITIVE);

  private static final Pattern UTC = Pattern.compile(" UTC$", Pattern.CASE_INSENSITIVE);

  private static final List<DateTimeFormatter> FORMATS =
      List.of(
          DateTimeFormatter.RFC_1123_DATE_TIME, // first, as each answer has one
          DateTimeFormatter.ISO_OFFSET_DATE_TIME,
          format("dd-MMM-yy HH:mm:ss zzz"),
          format("MMM ppd HH:mm:ss yyyy"));

  /** What was parsed last: the answers of a second have the same date. */
  private static volatile Parsed latest = new Parsed("", Optional.empty());

  private record Parsed(String text, Optional<Instant> instant) {}

  private HeaderDates() {}

  private static DateTimeFormatter format(String pattern) {
    return new DateTimeFormatterBuilder()
        .parseCaseInsensitive()
        .appendPattern(pattern)
        .toFormatter(Locale.ENGLISH)
        .withZone(ZoneOffset.UTC);
  }

  static Optional<Instant> parse(String text) {
    Parsed known = latest;
    if (known.text.equals(text)) {
      return known.instant;
    }
    if (text.length() > LONGEST) {
      return Optional.empty();
    }
    var parsed = new Parsed(text, parseAnew(text.trim()));
    latest = parsed;
    return parsed.instant;
  }

  private static Optional<Instant> parseAnew(String trimmed) {
    String day = WEEKDAY.matcher(trimmed).replaceFirst("");
    String date = UTC.matcher(day).replaceFirst(" GMT");
    return FORMATS.stream().flatMap(format -> parsed(format, date)).findFirst();
  }

  private static Stream<Instant> parsed(DateTimeFormatter format, String text) {
    try {
      return Stream.of(format.parse(text, Instant::from));
    } catch (DateTimeException another) {
      return Stream.empty();
    }
  }
}
