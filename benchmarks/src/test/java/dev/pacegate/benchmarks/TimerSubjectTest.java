package dev.pacegate.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TimerSubjectTest {

  @ParameterizedTest
  @EnumSource
  void runsWhatIsScheduledAndCancelsInTime(TimerSubject subject) throws InterruptedException {
    try (TimerSubject.Subject timer = subject.create("tested-timer")) {
      var ran = new CountDownLatch(1);
      timer.schedule(ran::countDown, 1_000_000);
      assertTrue(timer.scheduleAndCancel(Duration.ofHours(1).toNanos()));
      assertTrue(ran.await(10, TimeUnit.SECONDS));
    }
  }

  @Test
  void noTimerIsEverEarly() throws InterruptedException {
    var lateness = new Lateness(20);
    lateness.round();
    lateness.round();
    for (TimerSubject subject : TimerSubject.values()) {
      Lateness.Row row = lateness.of(subject);
      assertEquals(40, row.nanos().length);
      assertTrue(row.quantile(0) >= 0, row::title);
    }
  }

  /** A netty timer with nothing to do ticks, and ours does not; where the system tells. */
  @Test
  void anIdlePacegateTimerDoesNotWakeUp() throws Exception {
    List<Idle.Row> rows = Idle.watch(Duration.ofMillis(300));
    assertEquals(2 * TimerSubject.values().length, rows.size());
    for (Idle.Row row : rows) {
      if (row.wakeUps() != null && row.subject() == TimerSubject.PACEGATE) {
        assertEquals(0, row.wakeUps());
      }
      if (row.wakeUps() != null && row.subject() == TimerSubject.NETTY_1MS) {
        assertTrue(row.wakeUps() > 0);
      }
    }
  }
}
