package dev.pacegate.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class ManualTimeTest {

  private final ManualTime time = ManualTime.manual();
  private final List<String> ran = new ArrayList<>();

  private void at(long instant, String name) {
    time.at(instant, () -> ran.add(name + "@" + time.nanoTime()));
  }

  @Test
  void standsStillUntilItIsAdvanced() {
    assertEquals(0, time.nanoTime());
    time.advanceNanos(5);
    time.advance(Duration.ofMillis(1));
    assertEquals(1_000_005, time.nanoTime());
    assertThrows(IllegalArgumentException.class, () -> time.advanceNanos(-1));
    assertEquals(1_000_005, time.nanoTime());
  }

  @Test
  void runsTasksInTheOrderOfTheirInstantsEachAtItsOwn() {
    at(30, "c");
    at(10, "a");
    at(20, "b1");
    at(20, "b2");
    at(31, "d");
    time.advanceNanos(30);
    assertEquals(List.of("a@10", "b1@20", "b2@20", "c@30"), ran);
    assertEquals(30, time.nanoTime());
    assertEquals(1, time.pending());
  }

  @Test
  void runsNothingEarly() {
    at(10, "a");
    time.advanceNanos(9);
    assertEquals(List.of(), ran);
    time.advanceNanos(1);
    assertEquals(List.of("a@10"), ran);
  }

  @Test
  void runsAtOnceWhatIsDueAlready() {
    time.advanceNanos(10);
    at(10, "now");
    at(3, "past");
    assertEquals(List.of("now@10", "past@10"), ran);
    assertFalse(time.at(0, () -> {}).cancel(), "it has run");
  }

  @Test
  void runsWhatTasksScheduleOnTheWay() {
    time.at(
        10,
        () -> {
          at(15, "child");
          at(25, "late child");
        });
    time.advanceNanos(20);
    assertEquals(List.of("child@15"), ran);
    assertTrue(time.advanceToNext());
    assertEquals(List.of("child@15", "late child@25"), ran);
    assertFalse(time.advanceToNext());
    assertEquals(25, time.nanoTime());
  }

  @Test
  void aTaskMayAdvanceTheClockItself() {
    time.at(10, () -> time.advanceNanos(100));
    at(50, "inner");
    at(150, "after");
    time.advanceNanos(20);
    assertEquals(List.of("inner@50"), ran);
    assertEquals(110, time.nanoTime(), "never backwards");
  }

  @Test
  void cancelsOnce() {
    Timer.Scheduled scheduled = time.at(10, () -> ran.add("cancelled"));
    assertTrue(scheduled.cancel());
    assertFalse(scheduled.cancel());
    assertEquals(0, time.pending());
    time.advanceNanos(20);
    assertEquals(List.of(), ran);
  }

  @Test
  void aTaskThatHasRunCannotBeCancelled() {
    Timer.Scheduled scheduled = time.at(10, () -> {});
    time.advanceNanos(10);
    assertFalse(scheduled.cancel());
  }

  @Test
  void aTaskThatFailsHarmsNoOther() {
    time.at(
        10,
        () -> {
          throw new IllegalStateException("on purpose");
        });
    at(10, "next");
    time.advanceNanos(10);
    assertEquals(List.of("next@10"), ran);
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE - 5})
  void startsAnywhereAndWrapsAround(long origin) {
    ManualTime elsewhere = ManualTime.manual(origin);
    assertEquals(origin, elsewhere.nanoTime());
    elsewhere.at(origin + 20, () -> ran.add("second"));
    elsewhere.at(origin + 3, () -> ran.add("first"));
    elsewhere.at(origin + Long.MAX_VALUE, () -> ran.add("in 292 years"));
    elsewhere.advanceNanos(20);
    assertEquals(List.of("first", "second"), ran);
    assertEquals(origin + 20, elsewhere.nanoTime());
    assertEquals(1, elsewhere.pending());
  }

  @Test
  void waitingMovesASelfAdvancingTime() {
    ManualTime self = ManualTime.selfAdvancing(-7);
    self.parkUntil(this, 3_600_000_000_000L);
    assertEquals(3_600_000_000_000L, self.nanoTime());
    self.parkUntil(this, 5);
    assertEquals(3_600_000_000_000L, self.nanoTime(), "never backwards");
  }

  @Test
  void waitingRunsTheFirstTaskOnTheWayAndLooksAgain() {
    ManualTime self = ManualTime.selfAdvancing();
    self.at(10, () -> ran.add("a@" + self.nanoTime()));
    self.at(20, () -> ran.add("b@" + self.nanoTime()));
    self.parkUntil(this, 15);
    assertEquals(List.of("a@10"), ran);
    assertEquals(10, self.nanoTime(), "what ran may have changed what is waited for");
    self.parkUntil(this, 15);
    assertEquals(15, self.nanoTime());
  }

  @Test
  void aThreadThatWaitsReallyWaits() throws InterruptedException {
    var woken = new CountDownLatch(1);
    var waiter =
        new Thread(
            () -> {
              while (time.nanoTime() < 1000) {
                time.parkUntil(this, 1000);
              }
              woken.countDown();
            });
    waiter.start();
    while (time.pending() == 0) {
      Thread.onSpinWait();
    }
    time.advanceNanos(999);
    assertFalse(woken.await(20, TimeUnit.MILLISECONDS));
    time.advanceNanos(1);
    assertTrue(woken.await(20, TimeUnit.SECONDS));
    waiter.join();
    assertEquals(0, time.pending());
  }

  @Test
  void aThreadThatIsWokenForAnotherReasonLeavesNothingBehind() throws InterruptedException {
    var waiter = new Thread(() -> time.parkUntil(this, 1000));
    waiter.start();
    while (time.pending() == 0 && waiter.isAlive()) {
      Thread.onSpinWait();
    }
    LockSupport.unpark(waiter);
    waiter.join();
    assertEquals(0, time.pending());
    var interrupted = new Thread(() -> time.parkUntil(this, 1000));
    interrupted.start();
    while (time.pending() == 0 && interrupted.isAlive()) {
      Thread.onSpinWait();
    }
    interrupted.interrupt();
    interrupted.join();
    assertEquals(0, time.pending());
  }
}
