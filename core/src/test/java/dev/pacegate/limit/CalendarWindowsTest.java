package dev.pacegate.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.Period;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When windows of the calendar begin and end. */
class CalendarWindowsTest {

  private static final long HOUR = 3_600_000_000_000L;

  private static CalendarWindows windows(String limit) {
    return ((Aligned) Limits.parse(limit)).windows();
  }

  private static Instant instant(long nanos) {
    return Instant.ofEpochSecond(0, nanos);
  }

  @ParameterizedTest
  @CsvSource({
    "aligned(1/1m), 2026-11-20T12:34:56Z, 2026-11-20T12:34:00Z, 2026-11-20T12:35:00Z",
    "aligned(1/1m), 1969-12-31T23:59:59Z, 1969-12-31T23:59:00Z, 1970-01-01T00:00:00Z",
    "aligned(1/1d), 2026-11-20T12:34:56Z, 2026-11-20T00:00:00Z, 2026-11-21T00:00:00Z",
    "'aligned(1/1h, at=00:05)', 2026-11-20T12:04:59Z, 2026-11-20T11:05:00Z, 2026-11-20T12:05:00Z",
    "'aligned(1/1h, zone=Asia/Kolkata)', 2026-11-20T12:04:59Z, 2026-11-20T11:30:00Z, 2026-11-20T12:30:00Z",
    "'aligned(1/6h, zone=Asia/Kolkata)', 2026-11-20T12:04:59Z, 2026-11-20T06:30:00Z, 2026-11-20T12:30:00Z",
    // Weeks begin on Monday; the 20th of November 2026 is a Friday.
    "aligned(1/1w), 2026-11-20T12:00:00Z, 2026-11-16T00:00:00Z, 2026-11-23T00:00:00Z",
    "'aligned(1/1w, at=fri-12:00)', 2026-11-20T12:00:00Z, 2026-11-20T12:00:00Z, 2026-11-27T12:00:00Z",
    "'aligned(1/1w, at=fri-12:00)', 2026-11-20T11:59:59Z, 2026-11-13T12:00:00Z, 2026-11-20T12:00:00Z",
    "'aligned(1/1w, at=sun)', 2026-11-20T11:59:59Z, 2026-11-15T00:00:00Z, 2026-11-22T00:00:00Z",
    "aligned(1/1mo), 2028-02-29T12:00:00Z, 2028-02-01T00:00:00Z, 2028-03-01T00:00:00Z",
    "'aligned(1/1mo, at=15-09:30)', 2026-11-15T09:29:00Z, 2026-10-15T09:30:00Z, 2026-11-15T09:30:00Z",
    "aligned(1/3mo), 2026-11-20T12:00:00Z, 2026-10-01T00:00:00Z, 2027-01-01T00:00:00Z",
    "aligned(1/12mo), 2026-11-20T12:00:00Z, 2026-01-01T00:00:00Z, 2027-01-01T00:00:00Z",
    // In Berlin clocks are set forward on 2026-03-29 and back on 2026-10-25, both at 01:00Z.
    "'aligned(1/1d, zone=Europe/Berlin)', 2026-03-29T12:00:00Z, 2026-03-28T23:00:00Z, 2026-03-29T22:00:00Z",
    "'aligned(1/1d, zone=Europe/Berlin)', 2026-10-25T12:00:00Z, 2026-10-24T22:00:00Z, 2026-10-25T23:00:00Z",
    "'aligned(1/1d, zone=Europe/Berlin, at=02:30)', 2026-03-29T12:00:00Z, 2026-03-29T01:00:00Z, 2026-03-30T00:30:00Z",
    "'aligned(1/1d, zone=Europe/Berlin, at=02:30)', 2026-10-25T01:15:00Z, 2026-10-25T00:30:00Z, 2026-10-26T01:30:00Z",
    "'aligned(1/2h, zone=Europe/Berlin)', 2026-10-25T02:15:00Z, 2026-10-25T00:00:00Z, 2026-10-25T03:00:00Z",
    "'aligned(1/2h, zone=Europe/Berlin)', 2026-03-29T00:30:00Z, 2026-03-28T23:00:00Z, 2026-03-29T01:00:00Z",
    "'aligned(1/2h, zone=Europe/Berlin)', 2026-03-29T01:00:00Z, 2026-03-29T01:00:00Z, 2026-03-29T02:00:00Z",
    // Hours and less go on as if nothing had happened.
    "'aligned(1/1h, zone=Europe/Berlin)', 2026-10-25T00:15:00Z, 2026-10-25T00:00:00Z, 2026-10-25T01:00:00Z",
    "'aligned(1/1h, zone=Europe/Berlin)', 2026-10-25T01:15:00Z, 2026-10-25T01:00:00Z, 2026-10-25T02:00:00Z",
    // From an origin.
    "'aligned(1/90s, origin=2026-11-20T12:00:10Z)', 2026-11-20T12:00:09Z, 2026-11-20T11:58:40Z, 2026-11-20T12:00:10Z",
    "'aligned(1/10d, origin=2026-01-01T00:00:00Z)', 2026-01-25T00:00:00Z, 2026-01-21T00:00:00Z, 2026-01-31T00:00:00Z",
    "'aligned(1/1mo, origin=2026-01-31T10:00:00Z)', 2026-02-28T09:59:59Z, 2026-01-31T10:00:00Z, 2026-02-28T10:00:00Z",
    "'aligned(1/1mo, origin=2026-01-31T10:00:00Z)', 2026-03-01T00:00:00Z, 2026-02-28T10:00:00Z, 2026-03-31T10:00:00Z",
    "'aligned(1/1d, zone=Europe/Berlin, origin=2026-01-01T08:00:00Z)', 2026-07-01T08:00:00Z, 2026-07-01T07:00:00Z, 2026-07-02T07:00:00Z"
  })
  void beginAndEndAsTheCalendarSays(String limit, Instant in, Instant begin, Instant end) {
    CalendarWindows windows = windows(limit);
    long nanos = CalendarWindows.nanos(in);
    assertEquals(begin, instant(windows.begin(nanos)));
    assertEquals(end, instant(windows.end(nanos)));
  }

  private static final List<String> ZONES =
      List.of(
          "UTC",
          "Europe/Berlin",
          "America/New_York",
          "Australia/Lord_Howe", // half an hour of summer time
          "Asia/Kathmandu",
          "Pacific/Apia", // left out a whole day in 2011
          "Africa/Casablanca",
          "-03:30");

  private static final List<String> LENGTHS =
      List.of("1s", "1m", "15m", "1h", "90m", "2h", "12h", "1d", "1w", "1mo", "3mo");

  @Test
  void followEachOtherWithoutAGap() {
    Seeds.forEach(
        3000,
        random -> {
          String zone = ZONES.get(random.nextInt(ZONES.size()));
          String length = LENGTHS.get(random.nextInt(LENGTHS.size()));
          CalendarWindows windows =
              windows("aligned(1/" + length + ", margin=0s, zone=" + zone + ")");
          // From 1990 to 2100, sometimes right where clocks are set.
          long instant = random.nextLong(20 * 8766, 130 * 8766) * HOUR + random.nextLong(HOUR);
          var next = ZoneId.of(zone).getRules().nextTransition(instant(instant));
          if (next != null && random.nextBoolean()) {
            instant =
                CalendarWindows.nanos(next.getInstant()) + random.nextLong(-4 * HOUR, 4 * HOUR);
          }
          long begin = windows.begin(instant);
          long end = windows.end(instant);
          assertTrue(begin <= instant && instant < end, () -> begin + " to " + end);
          assertEquals(begin, windows.begin(begin));
          assertEquals(begin, windows.begin(end - 1));
          assertEquals(end, windows.begin(end));
          assertEquals(windows.index(instant) + 1, windows.index(end));
          assertEquals(windows.end(end), windows.end(instant, 1));
          int times = random.nextInt(1, 20);
          long far = begin;
          for (int i = 0; i <= times; i++) {
            far = windows.end(far);
          }
          assertEquals(far, windows.end(instant, times));
        });
  }

  /** Where no clock is set the local time of a beginning is what the limit says. */
  @Test
  void beginAtTheTimeThatClocksShow() {
    Seeds.forEach(
        1000,
        random -> {
          ZoneId zone = ZoneId.of(ZONES.get(random.nextInt(ZONES.size())));
          int hour = random.nextInt(24);
          String at = (hour < 10 ? "0" : "") + hour + ":30";
          CalendarWindows windows = windows("aligned(1/1d, zone=" + zone + ", at=" + at + ")");
          long instant = random.nextLong(20 * 8766, 130 * 8766) * HOUR;
          LocalDateTime local = LocalDateTime.ofInstant(instant(windows.begin(instant)), zone);
          ZonedDateTime meant = local.toLocalDate().atTime(hour, 30).atZone(zone);
          if (meant.toLocalDateTime().equals(local)) {
            assertEquals(meant.toInstant(), instant(windows.begin(instant)));
          } else { // skipped by the clocks
            assertTrue(
                zone.getRules().getValidOffsets(local.toLocalDate().atTime(hour, 30)).isEmpty(),
                () -> at + " in " + zone + ", but " + local);
          }
        });
  }

  @Test
  void monthsAndDaysOfAPeriodCannotBeMixed() {
    for (Period mixed : List.of(Period.of(0, 1, -5), Period.of(0, 1, 5), Period.ofDays(-5))) {
      assertThrows(IllegalArgumentException.class, () -> Limits.aligned(1, mixed));
    }
  }
}
