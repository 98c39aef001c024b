package dev.pacegate.history;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
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
      List<EarlierWindow> windows = List.of();
      for (int i = 0; i < CHANGES; i++) {
        Limit next = shorter(kind, i + 1);
        windows = EarlierWindow.after(windows, shorter(kind, i), next, i * MILLISECOND);
        int size = windows.size();
        assertTrue(size <= 8, () -> size + " of " + kind);
      }
    }
  }

  @Test
  void entriesAreFewHoweverManyRequestsThereAre() {
    var log = new EntryLog();
    for (int i = 0; i < 100_000; i++) {
      long now = i * MILLISECOND;
      log.add(Entry.started(now, now, Cost.ONE), now, 1000 * MILLISECOND);
      int size = log.entries().size();
      assertTrue(size <= EntryLog.MOST, () -> size + " entries");
    }
  }
}
