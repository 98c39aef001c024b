package dev.pacegate.limit;

import dev.pacegate.time.Durations;
import java.time.Duration;
import java.time.Period;
import java.time.temporal.TemporalAmount;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The length of a calendar window: {@code 1m}, {@code 1d}, {@code 1w}, {@code 3mo}. Days and weeks
 * follow the calendar, so a day has 23 to 25 hours.
 *
 * @param nanos the length in nanoseconds, 0 if it is in months
 * @param months the length in months, 0 if it is in nanoseconds
 */
public record CalendarLength(long nanos, int months) {

  static final long HOUR = 3_600_000_000_000L;
  static final long DAY = 24 * HOUR;
  static final long WEEK = 7 * DAY;

  private static final Pattern WEEKS_OR_MONTHS = Pattern.compile("([0-9][0-9_]*)?(w|mo)");
  private static final int MOST_MONTHS = 1200;

  /** Checks the ranges: from 1 ns to a hundred years. */
  public CalendarLength {
    if (nanos != 0 && months != 0) {
      throw new IllegalArgumentException(
          "a window of months cannot have other units as well: "
              + months
              + " months and "
              + Durations.decimal(nanos));
    }
    if (months < 0 || months > MOST_MONTHS) {
      throw new IllegalArgumentException(
          "a window must be from 1mo to " + MOST_MONTHS + "mo: " + months);
    }
    if (months == 0) {
      Spans.positive("a window", nanos);
    }
  }

  @SuppressWarnings("JavaPeriodGetDays") // months are looked at as well
  static CalendarLength of(TemporalAmount length) {
    if (length instanceof Period period) {
      long months = Math.max(-1, Math.min(period.toTotalMonths(), MOST_MONTHS + 1));
      long days = Math.max(-1, period.getDays());
      return new CalendarLength(days < 0 ? -1 : Nanos.times(days, DAY), (int) months);
    }
    return new CalendarLength(Spans.nanos("a window", Duration.from(length)), 0);
  }

  static CalendarLength parse(String text) {
    Matcher matcher = WEEKS_OR_MONTHS.matcher(text);
    if (!matcher.matches()) {
      return new CalendarLength(Durations.parseNanos(text), 0);
    }
    String digits = matcher.group(1) == null ? "1" : matcher.group(1).replace("_", "");
    if (digits.length() > 6) {
      throw new IllegalArgumentException("\"" + text + "\" is too long: at most 36500d");
    }
    int count = Integer.parseInt(digits);
    return matcher.group(2).equals("w")
        ? new CalendarLength(Nanos.times(count, WEEK), 0)
        : new CalendarLength(0, count);
  }

  boolean isWeek() {
    return nanos == WEEK;
  }

  /** Returns whether the calendar defines where such windows begin, without an origin. */
  boolean isOfCalendar() {
    return months > 0 ? 12 % months == 0 : DAY % nanos == 0 || isWeek();
  }

  /** Returns the length of such a window if no clock is set and the month is short. */
  public long usual() {
    return months > 0 ? months * (28 * DAY) : nanos;
  }

  /** Returns the shortest length of such a window. */
  long shortest() {
    return months > 0 || nanos > HOUR ? usual() - HOUR : nanos;
  }

  /** Returns the longest length of such a window. */
  long longest() {
    return months > 0 ? months * (31 * DAY) + HOUR : nanos > HOUR ? nanos + HOUR : nanos;
  }

  /** Returns for example {@code 1w}. */
  @Override
  public String toString() {
    return months > 0 ? months + "mo" : isWeek() ? "1w" : Durations.format(nanos);
  }
}
