package dev.pacegate.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.time.Timer.Scheduled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** ST and AT: timers of stream stages and of actors: one for each key, the last one set. */
class KeyedTimerCasesTest extends TimersOnManualTime {

  @Test // ST-1
  void aTimerRunsOnce() {
    after(500);
    advance(499);
    assertEquals(List.of(), ran);
    advance(5_000);
    assertEquals(List.of(500L), ran);
  }

  @Test // ST-1
  void aHandlerMaySetItsTimerAgain() {
    time.at(
        500 * MILLI,
        () -> {
          note();
          after(500);
        });
    advance(5_000);
    assertEquals(List.of(500L, 1_000L), ran);
  }

  @Test // ST-1
  void theLastTimerOfAKeyCounts() {
    Scheduled key = after(500);
    advance(100);
    assertTrue(key.cancel());
    key = after(500);
    advance(300);
    assertTrue(key.cancel());
    after(500);
    advance(5_000);
    assertEquals(List.of(900L), ran);
  }

  @Test // ST-1
  void aRepeatingTimerIsCancelledAfterItsFifthRun() {
    var repeating = new Repeating(100, 100, true, this::note);
    time.at(550 * MILLI, () -> assertTrue(repeating.cancel()));
    advance(5_000);
    assertEquals(List.of(100L, 200L, 300L, 400L, 500L), ran);
  }

  @Test // AT-1
  void aRepeatingTimerRunsThreeTimesInFourIntervals() {
    new Repeating(100, 100, false, this::note);
    advance(399);
    assertEquals(3, ran.size());
  }

  /** No message is queued: what is cancelled in time does not come later. */
  @Test // AT-1
  void aTimerCanBeCancelledAtItsOwnInstant() {
    var second = new ArrayList<Scheduled>();
    time.at(100 * MILLI, () -> assertTrue(second.get(0).cancel()));
    second.add(after(100));
    advance(1_000);
    assertEquals(List.of(), ran);
  }

  @Test // AT-1
  void aShutdownCancelsAllTimers() {
    var timer = new WheelTimer("cases");
    Runnable task = new Enqueued();
    timer.at(System.nanoTime() + 3_600 * SECOND, task);
    List<Runnable> never = timer.shutdownNow();
    assertSame(task, never.get(0));
    assertEquals(0, timer.pending());
  }
}
