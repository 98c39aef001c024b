package dev.pacegate.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.spi.Meter;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is kept of the past stays small, however many changes and requests there are. */
class HistorySizesTest {

  private static final int CHANGES = 10_000;
  private static final long MILLISECOND = 1_000_000;

  private static Limit shorter(String kind, int change) {
    return Limits.parse(String.format(kind, 20_000 - change));
  }

  @Test
  void earlierWindowsAreFewHoweverOftenTheyGetShorter() {
    for (String kind : List.of("10/%dms", "peer(10/%dms)", "spacing(%dms)")) {
      EarlierWindows windows = EarlierWindows.NONE;
      for (int i = 0; i < CHANGES; i++) {
        Limit next = shorter(kind, i + 1);
        windows = windows.after(shorter(kind, i), next, i * MILLISECOND);
        int size = windows.all().size();
        assertTrue(size <= 8, () -> size + " of " + kind);
      }
    }
  }

  @Test
  void entriesAreFewHoweverManyRequestsThereAre() {
    var log = new EntryLog(List.of());
    for (int i = 0; i < 100_000; i++) {
      long now = i * MILLISECOND;
      log.add(Entry.started(now, now, Cost.ONE), now, 1000 * MILLISECOND);
      int size = log.entries().size();
      assertTrue(size <= EntryLog.MOST, () -> size + " entries");
    }
  }

  @Test
  void aRequestThatStaysOpenKeepsALogButNoGrowingOne() {
    Limit old = Limits.parse("peer(10/1m)");
    Limit next = Limits.parse("10/1s");
    Meter meter = old.newMeter(0);
    meter.release(0, 0, Cost.ONE);
    var open = List.of(new OpenRequest(0, Cost.ONE));
    var takeover = new Takeover(old, meter, 0, next, 1, InstantSource.system(), open);
    History history = History.begin(takeover, EntryLog.MOST);
    long day = 86_400_000 * MILLISECOND;
    for (long now = 1; now < day; now += 100 * MILLISECOND) {
      history.released(now, now, Cost.ONE);
    }
    assertEquals(Meter.AT_EVENT, history.endsIn(day));
    int size = history.entriesFor(next.newMeter(0)).size();
    assertTrue(size <= EntryLog.MOST, () -> size + " entries");
    history.ended(0, day, Cost.ONE, Outcome.ANSWERED);
    assertTrue(history.endsIn(day) >= 60_000 * MILLISECOND, "the end counts for a minute");
    assertEquals(0, history.endsIn(day + day));
  }
}
