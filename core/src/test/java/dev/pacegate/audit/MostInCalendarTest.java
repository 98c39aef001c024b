package dev.pacegate.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.CalendarWindows;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Promise;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Windows of a calendar, compared with counting each of them. */
class MostInCalendarTest {

  private static final long SECOND = 1_000_000_000L;

  private record Span(long start, long end, long amount) {}

  private static long nanos(String instant) {
    return Instant.parse(instant).getEpochSecond() * SECOND;
  }

  @Test
  void eachWindowIsCountedByTheCalendar() {
    Audit audit = Audit.of(Limits.parse("aligned(2/1d, zone=Europe/Berlin, margin=0s)"));
    for (String at : List.of("21:00", "22:00", "23:00")) { // midnight is at 22:00
      audit.add(nanos("2026-10-24T" + at + ":00Z"));
    }
    assertTrue(audit.verdict().kept(), audit.verdict().text());
    audit.add(nanos("2026-10-25T22:59:59Z"));
    assertFalse(audit.verdict().kept());
    assertEquals(3, audit.verdict().measured());
    assertEquals(nanos("2026-10-24T22:00:00Z"), audit.verdict().where().from());
    assertEquals(nanos("2026-10-25T23:00:00Z"), audit.verdict().where().to());
    assertEquals(
        "broken: at most 2 in each 1d in Europe/Berlin, counted by the peer at any time"
            + " between start and end, by a clock within 0s of ours\n  most: 3 in the window, from 1792879200000000000"
            + " to 1792969200000000000",
        audit.verdict().text().lines().limit(2).collect(Collectors.joining("\n")));
    assertEquals(3, ((Promise.PerCalendar) audit.verdict().tightest()).max());
  }

  @Test
  void agreesWithCountingEveryWindow() {
    var random = new SplittableRandom(Long.getLong("pacegate.seed", 5));
    for (int round = 0; round < 150; round++) {
      var promise =
          (Promise.PerCalendar)
              Limits.parse("aligned(5/10s, margin=" + random.nextInt(3) + "s)").promises().get(0);
      var spans = new ArrayList<Span>();
      Audit audit = Audit.of(List.of(promise));
      long now = nanos("2026-11-20T12:00:00Z");
      for (int i = 0; i < 30; i++) {
        now += random.nextInt(4) == 0 ? random.nextLong(20 * SECOND) : random.nextLong(SECOND);
        long end = now + (random.nextInt(5) == 0 ? random.nextLong(60 * SECOND) : 0);
        var span = new Span(now, end, random.nextInt(3));
        spans.add(span);
        audit.add(span.start, span.end, Cost.of(span.amount));
        assertEquals(most(promise, spans), audit.verdict().measured());
      }
    }
  }

  private static long most(Promise.PerCalendar promise, List<Span> spans) {
    CalendarWindows windows = promise.windows();
    long most = 0;
    long from = spans.get(0).start - 20 * SECOND;
    for (long k = windows.index(from); k < windows.index(from) + 100; k++) {
      long sum = 0;
      for (Span span : spans) {
        boolean before = span.start - promise.marginNanos() < windows.beginning(k + 1);
        boolean behind = span.end + promise.marginNanos() >= windows.beginning(k);
        sum += before && behind ? span.amount : 0;
      }
      most = Math.max(most, sum);
    }
    return most;
  }

  @Test
  void saysWhatIsTooFarAway() {
    for (long far : new long[] {Long.MIN_VALUE, Long.MAX_VALUE, nanos("2200-01-01T00:00:00Z")}) {
      Audit audit = Audit.of(Limits.parse("aligned(2/1d)"));
      var e = assertThrows(IllegalArgumentException.class, () -> audit.add(far));
      assertTrue(String.valueOf(e.getMessage()).contains("from 1790 to 2149"), e.getMessage());
    }
  }
}
