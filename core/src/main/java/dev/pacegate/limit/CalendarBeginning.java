package dev.pacegate.limit;

import static java.util.Objects.requireNonNull;

import java.time.DateTimeException;
import java.time.LocalTime;
import java.util.List;
import java.util.Locale;

/**
 * The time at which windows of the calendar begin: {@code 09:00}, or with a day of the week or
 * month {@code sun-00:00}, {@code 15-09:30}.
 *
 * @param day the day of the week, 1 for Monday, or of the month, 1 to 28; otherwise 1
 * @param time the time of day; for windows shorter than a day, how long after midnight one begins
 */
public record CalendarBeginning(int day, LocalTime time) {

  static final CalendarBeginning USUAL = new CalendarBeginning(1, LocalTime.MIDNIGHT);

  private static final List<String> DAYS = List.of("mon", "tue", "wed", "thu", "fri", "sat", "sun");

  /** Checks that the time is not null; the day depends on the length of the windows. */
  public CalendarBeginning {
    requireNonNull(time);
  }

  /** Checks that windows of {@code length} can begin then. */
  void check(CalendarLength length) {
    int days = length.months() > 0 ? 28 : length.isWeek() ? 7 : 1;
    if (day < 1 || day > days) {
      throw new IllegalArgumentException(
          "windows of "
              + length
              + " begin with day 1"
              + (days > 1 ? " to " + days : "")
              + ", not "
              + day);
    }
    if (length.months() == 0 && time.toNanoOfDay() >= length.nanos()) {
      throw new IllegalArgumentException(
          "windows of " + length + " cannot begin at " + time + ", which is later than their end");
    }
  }

  static CalendarBeginning parse(String text, CalendarLength length) {
    int dash = text.indexOf('-');
    String day = dash >= 0 ? text.substring(0, dash) : text.contains(":") ? "" : text;
    String time = dash >= 0 ? text.substring(dash + 1) : text.contains(":") ? text : "00:00";
    try {
      return new CalendarBeginning(
          dash < 0 && day.isEmpty() ? 1 : day(day.toLowerCase(Locale.ROOT), length),
          LocalTime.parse(time));
    } catch (DateTimeException | NumberFormatException wrong) {
      throw new IllegalArgumentException(
          "at is a time of day such as 09:00, with a day for weeks (sun-00:00) and months"
              + " (15-09:00), not \""
              + text
              + '"');
    }
  }

  private static int day(String day, CalendarLength length) {
    return length.isWeek() && DAYS.contains(day)
        ? DAYS.indexOf(day) + 1
        : Integer.parseUnsignedInt(day.startsWith("+") ? "" : day);
  }

  String text(CalendarLength length) {
    String name = length.isWeek() ? DAYS.get(day - 1) : String.valueOf(day);
    return (day == 1 ? "" : name + '-') + time;
  }
}
