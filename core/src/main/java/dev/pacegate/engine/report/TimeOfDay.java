package dev.pacegate.engine.report;

import dev.pacegate.time.Time;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;

/** Formats instants for messages. */
public final class TimeOfDay {

  private TimeOfDay() {}

  /** Returns the time of day, with the date if it is not today, rounded up to a second. */
  public static String text(Instant instant, Time time) {
    ZoneId zone = ZoneId.systemDefault();
    LocalDateTime local = LocalDateTime.ofInstant(instant.plusNanos(999_999_999), zone);
    String clock = DateTimeFormatter.ofPattern("HH:mm:ss").format(local);
    boolean today = local.toLocalDate().equals(LocalDate.ofInstant(time.instant(), zone));
    return today ? clock : local.toLocalDate() + " " + clock;
  }
}
