package dev.pacegate.time;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.time.Timer.Scheduled;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** NT: the cases of a hashed wheel. */
class HashedWheelCasesTest extends TimersOnManualTime {

  @Test // NT-1
  void runsADueTaskAndCancelsALaterOne() {
    Scheduled late = after(10_000);
    Scheduled early = after(2_000);
    advance(3_000);
    assertEquals(List.of(2_000L), ran);
    assertFalse(early.cancel());
    assertTrue(late.cancel());
  }

  @Test // NT-2
  void aShutdownReturnsThePendingTasks() {
    try (var none = new WheelTimer("cases")) {
      assertEquals(List.of(), none.shutdownNow());
    }
    try (var timer = new WheelTimer("cases")) {
      Set<Runnable> pending = Collections.newSetFromMap(new IdentityHashMap<>());
      var handles = new ArrayList<Scheduled>();
      for (int i = 0; i < 5; i++) {
        Runnable task = new Enqueued();
        pending.add(task);
        handles.add(timer.at(System.nanoTime() + 5_000 * SECOND, task));
      }
      List<Runnable> never = timer.shutdownNow();
      assertEquals(5, never.size());
      assertTrue(pending.containsAll(never));
      assertTrue(handles.stream().noneMatch(Scheduled::cancel), "they are the caller's now");
    }
  }

  @Test // NT-3
  void aTaskMayScheduleItselfAgain() {
    new Repeating(100, 100, false, this::note);
    advance(300);
    assertEquals(List.of(100L, 200L, 300L), ran);
  }

  /** Not within a tick of its instant: at it. */
  @Test // NT-4
  void aHundredThousandTasksRunAtTheirInstants() {
    var wheel = new TimerWheel<Long>(0);
    long now = 0;
    long added = 0;
    long seen = 0;
    long delay = 125 * MILLI;
    while (added < 100_000 || wheel.size() > 0) {
      long adds = added < 100_000 ? added * 1_000 : Long.MAX_VALUE;
      now = Math.min(adds, now + wheel.nanosUntilNext(now));
      if (now == adds) {
        Wheels.add(wheel, now + delay, now + delay);
        added++;
      }
      long present = now;
      int before = wheel.size();
      Wheels.expire(wheel, now, deadline -> assertEquals(deadline, present));
      seen += before - wheel.size();
    }
    assertEquals(100_000, seen);
  }

  @Test // NT-6
  void pendingCountsTasksThatWait() {
    Scheduled one = after(100);
    Scheduled two = after(200);
    after(300);
    assertEquals(3, time.pending());
    one.cancel();
    two.cancel();
    assertEquals(1, time.pending());
    advance(300);
    assertEquals(0, time.pending());
  }

  @Test // NT-6
  void aDueTaskCanBeCancelledWhileAnotherKeepsTheThread() throws InterruptedException {
    try (var timer = new WheelTimer("cases")) {
      var begun = new CountDownLatch(1);
      var cancelled = new CountDownLatch(1);
      long due = System.nanoTime() + MILLI;
      timer.at(
          due,
          () -> {
            begun.countDown();
            awaitUnchecked(cancelled);
          });
      var handles = LongStream.range(0, 10).mapToObj(i -> timer.at(due, () -> {})).toList();
      assertTrue(begun.await(10, SECONDS));
      assertTrue(handles.stream().allMatch(Scheduled::cancel));
      assertEquals(0, timer.pending());
      cancelled.countDown();
    }
  }

  private void awaitUnchecked(CountDownLatch latch) {
    try {
      assertTrue(latch.await(10, SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
