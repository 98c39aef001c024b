package dev.pacegate.feedback;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses numbers, waits and dates in headers. Unparsable: empty. An amount that is too large is
 * capped; a wait that is too long is not believed: empty.
 */
final class HeaderValues {

  private static final Pattern DECIMAL = Pattern.compile("\\d{1,40}(\\.\\d{0,40})?");
  private static final BigDecimal MOST = BigDecimal.valueOf(1_000_000_000_000_000_000L);

  /** Quotas by the day, month and year are known; a peer that asks for more is mistaken. */
  private static final Duration LONGEST = Duration.ofDays(400);

  /** A number of at least this is an instant, in seconds since 1970; a smaller one is a wait. */
  private static final BigDecimal EPOCH_SECONDS = BigDecimal.valueOf(1_000_000_000L);

  /** A number of at least this is an instant, in milliseconds since 1970. */
  private static final BigDecimal EPOCH_MILLIS = BigDecimal.valueOf(1_000_000_000_000L);

  /** No date of a header is as late; up to here the arithmetic of instants cannot overflow. */
  private static final BigDecimal LATEST_MILLIS = BigDecimal.valueOf(1_000_000_000_000_000L);

  /** A part of {@code 6m0s} or {@code 20ms}, as Go prints durations, or of {@code 30 seconds}. */
  private static final Pattern PART =
      Pattern.compile(
          "(\\d{1,15}(?:\\.\\d{1,15})?) ?"
              + "((?i:milliseconds?|seconds?|secs?|minutes?|mins?|hours?|days?)|ms|[dhms])");

  private static final Pattern PARTS = Pattern.compile("(?:" + PART.pattern() + " ?){1,6}");

  /** The longest text that can be a wait or a date. */
  private static final int LONGEST_TEXT = 100;

  private HeaderValues() {}

  /** Parses a number of 0 or more, rounded down: what is left, or allowed. */
  static Optional<Long> amount(String text) {
    return amount(text, RoundingMode.FLOOR);
  }

  /** Parses a number of 0 or more, rounded up: what is used. */
  static Optional<Long> used(String text) {
    return amount(text, RoundingMode.CEILING);
  }

  private static Optional<Long> amount(String text, RoundingMode rounding) {
    return decimal(text).map(number -> number.min(MOST).setScale(0, rounding).longValue());
  }

  private static Optional<BigDecimal> decimal(String text) {
    String trimmed = text.trim();
    return DECIMAL.matcher(trimmed).matches()
        ? Optional.of(new BigDecimal(trimmed))
        : Optional.empty();
  }

  /** Parses a number of seconds, rounded up to milliseconds. */
  static Optional<Duration> seconds(String text) {
    return decimal(text).flatMap(seconds -> millis(seconds.movePointRight(3)));
  }

  /** Parses a number of milliseconds, rounded up. */
  static Optional<Duration> millis(String text) {
    return decimal(text).flatMap(HeaderValues::millis);
  }

  private static Optional<Duration> millis(BigDecimal millis) {
    long rounded = millis.min(LATEST_MILLIS).setScale(0, RoundingMode.CEILING).longValue();
    return believable(Duration.ofMillis(rounded));
  }

  /** Returns the wait, zero for an instant that has passed, empty for one that is too long. */
  private static Optional<Duration> believable(Duration wait) {
    if (wait.compareTo(LONGEST) > 0) {
      return Optional.empty();
    }
    return Optional.of(wait.isNegative() ? Duration.ZERO : wait);
  }

  /**
   * Parses a wait in whatever form: seconds; by its size, seconds or milliseconds since 1970; parts
   * with units ({@code 6m0s}, {@code 30 seconds}); a date. An instant that has passed is a wait of
   * zero.
   */
  static Optional<Duration> wait(String text, Instant now) {
    String trimmed = text.trim();
    if (trimmed.isEmpty() || trimmed.length() > LONGEST_TEXT) {
      return Optional.empty();
    }
    return decimal(trimmed)
        .map(number -> number(number, now))
        .orElseGet(() -> parts(trimmed).or(() -> until(trimmed, now)));
  }

  private static Optional<Duration> number(BigDecimal number, Instant now) {
    if (number.compareTo(EPOCH_SECONDS) < 0) {
      return millis(number.movePointRight(3));
    }
    BigDecimal millis = number.compareTo(EPOCH_MILLIS) < 0 ? number.movePointRight(3) : number;
    long rounded = millis.min(LATEST_MILLIS).setScale(0, RoundingMode.CEILING).longValue();
    return believable(Duration.between(now, Instant.ofEpochMilli(rounded)));
  }

  private static Optional<Duration> parts(String text) {
    if (!PARTS.matcher(text).matches()) {
      return Optional.empty();
    }
    BigDecimal millis = BigDecimal.ZERO;
    Matcher part = PART.matcher(text);
    while (part.find()) {
      BigDecimal unit = BigDecimal.valueOf(unitMillis(part.group(2).toLowerCase(Locale.ROOT)));
      millis = millis.add(new BigDecimal(part.group(1)).multiply(unit));
    }
    return millis(millis);
  }

  private static long unitMillis(String unit) {
    if (unit.equals("ms") || unit.startsWith("milli")) {
      return 1;
    }
    return switch (unit.charAt(0)) {
      case 's' -> 1_000;
      case 'm' -> 60_000;
      case 'h' -> 3_600_000;
      default -> 86_400_000;
    };
  }

  private static Optional<Duration> until(String date, Instant now) {
    return HeaderDates.parse(date).flatMap(instant -> believable(Duration.between(now, instant)));
  }
}
