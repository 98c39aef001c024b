package dev.pacegate.feedback;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** Parses numbers, durations and dates in headers. Unparsable: empty. Too large: capped. */
final class HeaderValues {

  private static final Pattern WHOLE = Pattern.compile("\\d{1,40}");
  private static final Pattern DECIMAL = Pattern.compile("\\d{1,40}(\\.\\d{0,40})?");
  private static final BigDecimal LARGEST = BigDecimal.valueOf(1_000_000_000_000_000_000L);
  private static final BigDecimal LONGEST_SECONDS = BigDecimal.valueOf(1_000_000_000L);

  /** A number of at least this is an instant, in seconds since 1970. */
  private static final BigDecimal EPOCH_SECONDS = BigDecimal.valueOf(1_000_000_000L);

  /** A number of at least this is an instant, in milliseconds since 1970. */
  private static final BigDecimal EPOCH_MILLIS = BigDecimal.valueOf(1_000_000_000_000L);

  private static final BigDecimal LATEST_MILLIS = BigDecimal.valueOf(1_000_000_000_000_000L);

  /** The three formats of RFC 9110, section 5.6.7. */
  private static final List<DateTimeFormatter> DATES =
      List.of(
          DateTimeFormatter.RFC_1123_DATE_TIME,
          format("EEEE, dd-MMM-yy HH:mm:ss zzz"),
          format("EEE MMM ppd HH:mm:ss yyyy"));

  private HeaderValues() {}

  private static DateTimeFormatter format(String pattern) {
    return new DateTimeFormatterBuilder()
        .parseCaseInsensitive()
        .appendPattern(pattern)
        .toFormatter(Locale.ENGLISH)
        .withZone(ZoneOffset.UTC);
  }

  /** Parses a whole number of 0 or more. */
  static OptionalLong amount(String text) {
    String trimmed = text.trim();
    return WHOLE.matcher(trimmed).matches()
        ? OptionalLong.of(new BigDecimal(trimmed).min(LARGEST).longValue())
        : OptionalLong.empty();
  }

  /** Parses a number of seconds, rounded up to milliseconds. */
  static Optional<Duration> seconds(String text) {
    String trimmed = text.trim();
    if (!DECIMAL.matcher(trimmed).matches()) {
      return Optional.empty();
    }
    BigDecimal seconds = new BigDecimal(trimmed).min(LONGEST_SECONDS);
    BigDecimal millis = seconds.movePointRight(3).setScale(0, RoundingMode.CEILING);
    return Optional.of(Duration.ofMillis(millis.longValue()));
  }

  /** Parses a date and returns the time until it, zero if it has passed. */
  static Optional<Duration> until(String date, Instant now) {
    return date(date).map(instant -> atLeastZero(Duration.between(now, instant)));
  }

  /** Parses a number of seconds or, by its size, of seconds or milliseconds since 1970. */
  static Optional<Duration> secondsOrEpoch(String text, Instant now) {
    String trimmed = text.trim();
    if (!DECIMAL.matcher(trimmed).matches()) {
      return Optional.empty();
    }
    BigDecimal number = new BigDecimal(trimmed);
    if (number.compareTo(EPOCH_SECONDS) < 0) {
      return seconds(trimmed);
    }
    BigDecimal millis = number.compareTo(EPOCH_MILLIS) < 0 ? number.movePointRight(3) : number;
    long rounded = millis.min(LATEST_MILLIS).setScale(0, RoundingMode.CEILING).longValueExact();
    return Optional.of(atLeastZero(Duration.between(now, Instant.ofEpochMilli(rounded))));
  }

  private static Duration atLeastZero(Duration span) {
    return span.isNegative() ? Duration.ZERO : span;
  }

  static Optional<Instant> date(String text) {
    for (DateTimeFormatter format : DATES) {
      try {
        return Optional.of(format.parse(text.trim(), Instant::from));
      } catch (DateTimeException another) {
        // Try the next format.
      }
    }
    return Optional.empty();
  }
}
