package dev.pacegate.limit;

import static dev.pacegate.limit.CalendarLength.DAY;
import static dev.pacegate.limit.CalendarLength.HOUR;
import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Windows that follow the calendar and the time of day, one after another without a gap: every
 * minute, every day at nine, every month.
 *
 * <p>Windows of an hour or less follow each other in real time, all equally long. Longer ones begin
 * when the zone's clocks show the same time of day, so a window in which clocks are set is shorter
 * or longer. If the clocks show that time twice, the window begins at the first; if they skip it,
 * it begins when they are set.
 *
 * <p>With an origin, windows begin there and at every multiple of their length before and after it:
 * months and days by the zone's calendar, all else in real time.
 *
 * <p>Instants are nanoseconds since 1970, up to about 190 years before and after.
 *
 * @param length the length of a window
 * @param zone the time zone whose clocks and calendar count
 * @param at when windows begin, unless there is an origin
 * @param origin the beginning of one of the windows, if they do not follow the calendar
 */
@CheckReturnValue
public record CalendarWindows(
    CalendarLength length, ZoneId zone, CalendarBeginning at, @Nullable Instant origin) {

  /**
   * The farthest instant before or after 1970 around which windows can be computed without
   * overflow.
   */
  static final long FARTHEST = 190 * 365 * DAY;

  private static final Instant FIRST_ORIGIN = Instant.parse("1870-01-01T00:00:00Z");
  private static final Instant LAST_ORIGIN = Instant.parse("2070-01-01T00:00:00Z");

  /** Checks that there are such windows. */
  public CalendarWindows {
    requireNonNull(length);
    requireNonNull(at);
    zone = requireNonNull(zone).normalized(); // UTC is an offset, too
    if (origin == null) {
      if (!length.isOfCalendar()) {
        throw new IllegalArgumentException(
            "the calendar has no windows of "
                + length
                + ": allowed are parts of a day, 1d, 1w, 1mo, 2mo, 3mo, 4mo, 6mo, 12mo,"
                + " and with an origin any length");
      }
      at.check(length);
    } else if (!at.equals(CalendarBeginning.USUAL)) {
      throw new IllegalArgumentException(
          "windows begin at a time or from an origin, not both: at="
              + at.time()
              + ", origin="
              + origin);
    } else if (origin.isBefore(FIRST_ORIGIN) || origin.isAfter(LAST_ORIGIN)) {
      throw new IllegalArgumentException(
          "origin must be from " + FIRST_ORIGIN + " to " + LAST_ORIGIN + ": " + origin);
    }
  }

  static CalendarWindows of(CalendarLength length) {
    return of(length, null);
  }

  static CalendarWindows of(CalendarLength length, @Nullable Instant origin) {
    return new CalendarWindows(length, ZoneOffset.UTC, CalendarBeginning.USUAL, origin);
  }

  /** Returns the beginning of the window that contains {@code instant}. */
  public long begin(long instant) {
    return beginning(index(instant));
  }

  /** Returns the end of the window that contains {@code instant}: the first beginning after it. */
  public long end(long instant) {
    return beginning(index(instant) + 1);
  }

  /** Returns the end of the window that is {@code more} windows after that of {@code instant}. */
  long end(long instant, long more) {
    boolean never = more > Spans.MAX / length.usual();
    return never ? Long.MAX_VALUE : beginning(index(instant) + 1 + more);
  }

  /**
   * Returns the number of the window that contains {@code instant}. Windows are numbered in order;
   * an instant too far away counts to the last one.
   */
  public long index(long instant) {
    long near = near(instant);
    long index = estimate(near);
    while (beginning(index) > near) {
      index--;
    }
    while (beginning(index + 1) <= near) {
      index++;
    }
    return index;
  }

  /** Returns whether a window begins within so many nanoseconds before or after {@code instant}. */
  public boolean turn(Instant instant, long before, long after) {
    long nanos = near(nanos(instant));
    return index(near(nanos - before)) != index(near(nanos + after));
  }

  /** Returns {@code instant}, limited to what nanoseconds since 1970 can express. */
  static long near(long instant) {
    return Math.max(-FARTHEST, Math.min(instant, FARTHEST));
  }

  private long estimate(long instant) {
    if (isReal()) {
      return Math.floorDiv(instant - realOrigin(), length.nanos());
    }
    LocalDateTime local = LocalDateTime.ofInstant(instant(instant), zone);
    return length.months() > 0
        ? Math.floorDiv(ChronoUnit.MONTHS.between(localOrigin(), local), length.months())
        : Math.floorDiv(ChronoUnit.NANOS.between(localOrigin(), local), length.nanos());
  }

  /** Returns the beginning of a window by its number. */
  public long beginning(long index) {
    if (isReal()) {
      return realOrigin() + index * length.nanos();
    }
    LocalDateTime local =
        length.months() > 0
            ? localOrigin().plusMonths(index * length.months())
            : localOrigin().plusNanos(index * length.nanos());
    return nanos(resolve(local));
  }

  /** Returns whether windows follow each other in real time, whatever the clocks show. */
  private boolean isReal() {
    long nanos = length.nanos();
    return length.months() == 0 && (origin == null ? nanos <= HOUR : nanos % DAY != 0);
  }

  private long realOrigin() {
    if (origin != null) {
      return nanos(origin);
    }
    // Clocks are set by an hour as a rule: all that matters is the part of an hour in the zone's
    // standard time, as far as that is known.
    ZoneOffset standard = zone.getRules().getStandardOffset(instant(Long.MAX_VALUE));
    return at.time().toNanoOfDay() - standard.getTotalSeconds() * 1_000_000_000L;
  }

  private LocalDateTime localOrigin() {
    if (origin != null) {
      return LocalDateTime.ofInstant(origin, zone);
    }
    LocalDate first = LocalDate.of(1970, 1, length.isWeek() ? 5 : 1); // the 5th was a Monday
    return first.plusDays(at.day() - 1).atTime(at.time());
  }

  private Instant resolve(LocalDateTime local) {
    List<ZoneOffset> offsets = zone.getRules().getValidOffsets(local);
    return offsets.isEmpty()
        ? zone.getRules().getTransition(local).getInstant()
        : local.toInstant(offsets.get(0));
  }

  /** Returns an instant in nanoseconds since 1970, limited to what these can express. */
  static long nanos(Instant instant) {
    try {
      long seconds = Math.multiplyExact(instant.getEpochSecond(), 1_000_000_000L);
      return Math.addExact(seconds, instant.getNano());
    } catch (ArithmeticException tooFar) {
      return instant.isBefore(Instant.EPOCH) ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
  }

  private static Instant instant(long nanos) {
    return Instant.ofEpochSecond(0, nanos);
  }

  /** Returns in words, for example {@code 1d from 09:00 in America/New_York}. */
  @Override
  public String toString() {
    String from = origin != null ? origin.toString() : at.text(length);
    boolean plain = origin == null && at.equals(CalendarBeginning.USUAL);
    String where = zone.equals(ZoneOffset.UTC) ? "UTC" : zone.toString();
    return length + (plain ? "" : " from " + from) + " in " + where;
  }
}
