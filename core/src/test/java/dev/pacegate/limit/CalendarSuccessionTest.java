package dev.pacegate.limit;

import static dev.pacegate.limit.Successions.CASES;
import static dev.pacegate.limit.Successions.KINDS;
import static dev.pacegate.limit.Successions.PEERS;
import static dev.pacegate.limit.Successions.PEERS_BUCKETS;
import static dev.pacegate.limit.Successions.UNANSWERED;
import static dev.pacegate.limit.Successions.any;
import static dev.pacegate.limit.Successions.playAndChange;
import static dev.pacegate.limit.Successions.tell;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What holds across a change to a limit of a calendar's windows. */
class CalendarSuccessionTest {

  private static final List<String> CALENDARS =
      List.of(
          "aligned(10/1m, unanswered=20s)",
          "aligned(7/1m, unanswered=20s, margin=5s)",
          "aligned(3/10s, unanswered=20s)",
          "aligned(20/2h, unanswered=20s, zone=Europe/Berlin)",
          "aligned(2/1s, unanswered=20s, margin=100ms)");

  @Test
  void noWindowOfACalendarHoldsMoreWhateverLimitWasInForceBefore() {
    Seeds.forEach(
        3 * CASES,
        random -> {
          List<String> before =
              List.of(KINDS, PEERS, PEERS_BUCKETS, CALENDARS).get(random.nextInt(4));
          var fresh = (Aligned) any(random, CALENDARS);
          Limit old = any(random, before);
          judgeCalendar(playAndChange(random, old, fresh), fresh);
        });
  }

  /** Judges every window that something let through by the new limit may be counted in. */
  private static void judgeCalendar(Changing changing, Aligned limit) {
    for (int last = 0; last < changing.requests.size(); last++) {
      Changing.Request released = changing.requests.get(last);
      if (released.era == 1) {
        long began = CalendarWindows.nanos(Play.BEGAN);
        CalendarWindows windows = limit.windows();
        long latest = windows.index(began + released.start + limit.marginNanos());
        for (long k = windows.index(began + released.start - limit.marginNanos());
            k <= latest;
            k++) {
          long sum = 0;
          for (Changing.Request request : changing.requests.subList(0, last + 1)) {
            long end = request.tracked ? request.end : request.start + UNANSWERED;
            boolean touches =
                began + request.start - limit.marginNanos() < windows.beginning(k + 1)
                    && Nanos.add(end, began + limit.marginNanos()) >= windows.beginning(k);
            sum += request.counts && touches ? request.cost.amount() : 0;
          }
          long most = sum;
          assertTrue(
              sum <= limit.max() || released.cost.amount() == 0,
              () -> most + " up to " + released + " of " + tell(changing));
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    // Taken three seconds before the minute, so many are left.
    "aligned(10/1m), 4, aligned(12/1m), 8",
    "aligned(10/1m), 4, aligned(4/1m), 0",
    "aligned(10/1m), 4, 'aligned(10/1m, margin=0s)', 6",
    "aligned(10/1m), 4, 'aligned(10/1m) & concurrent(7)', 3",
    "aligned(10/1m), 4, 'aligned(100/1d)', 96",
    "aligned(10/1m), 4, 10/1m, 6",
    "10/1m, 4, 'aligned(10/1m)', 6",
    "peer(10/1m), 4, 'aligned(10/1m)', 6",
    "concurrent(4), 4, 'aligned(10/1m)', 6",
    "unlimited, 4, 'aligned(10/1m)', 10"
  })
  void theCountOfTheCalendarGoesOn(String old, int taken, String fresh, int left) {
    var changing = new Changing(Limits.parse(old), 0, UNANSWERED);
    assertEquals(taken, changing.drain(Cost.ONE, taken));
    changing.change(Limits.parse(fresh));
    assertEquals(left, changing.drain(Cost.ONE, 2000));
  }
}
