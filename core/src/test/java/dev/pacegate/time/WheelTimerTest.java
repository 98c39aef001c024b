package dev.pacegate.time;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Real time: asserted on one side only, never early. */
class WheelTimerTest {

  private static final long MILLI = 1_000_000;

  private final WheelTimer timer = new WheelTimer("test-timer");

  @AfterEach
  void stop() {
    timer.close();
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    assertTrue(latch.await(10, SECONDS));
  }

  @Test
  void neverRunsATaskEarly() throws InterruptedException {
    var early = new ConcurrentLinkedQueue<Long>();
    var all = new CountDownLatch(300);
    var random = new Random(5);
    for (int i = 0; i < 300; i++) {
      long due = System.nanoTime() + random.nextInt(20_000_000);
      timer.at(due, () -> note(due, early, all));
    }
    await(all);
    assertEquals(0, early.size(), early::toString);
  }

  private static void note(long due, ConcurrentLinkedQueue<Long> early, CountDownLatch all) {
    long late = System.nanoTime() - due;
    if (late < 0) {
      early.add(late);
    }
    all.countDown();
  }

  @Test
  void aHundredThousandTasksAllRun() throws InterruptedException {
    var early = new ConcurrentLinkedQueue<Long>();
    var all = new CountDownLatch(100_000);
    var random = new Random(6);
    long start = System.nanoTime();
    for (int i = 0; i < 100_000; i++) {
      long due = start + (long) (random.nextDouble() * 1000 * MILLI);
      timer.at(due, () -> note(due, early, all));
    }
    await(all);
    assertEquals(0, early.size());
    assertEquals(0, timer.pending());
  }

  @Test
  void whatIsCancelledInTimeNeverRuns() throws InterruptedException {
    var ran = new AtomicInteger();
    List<Timer.Scheduled> tasks = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      tasks.add(timer.at(System.nanoTime() + 50 * MILLI, ran::incrementAndGet));
    }
    for (Timer.Scheduled task : tasks) {
      assertTrue(task.cancel());
      assertFalse(task.cancel());
    }
    assertEquals(0, timer.pending());
    var after = new CountDownLatch(1);
    timer.at(System.nanoTime() + 60 * MILLI, after::countDown);
    await(after);
    assertEquals(0, ran.get());
  }

  @Test
  void whatRanCannotBeCancelled() throws InterruptedException {
    var ran = new CountDownLatch(1);
    Timer.Scheduled task = timer.at(System.nanoTime(), ran::countDown);
    await(ran);
    assertFalse(task.cancel());
  }

  @Test
  void anEarlierTaskWakesTheThreadThatSleepsForALaterOne() throws InterruptedException {
    timer.at(System.nanoTime() + 3_600_000 * MILLI, () -> {});
    var ran = new CountDownLatch(1);
    timer.at(System.nanoTime() + MILLI, ran::countDown);
    await(ran);
    assertEquals(1, timer.pending());
  }

  @Test
  void theFarthestInstantNeitherFiresNorFails() throws InterruptedException {
    var ran = new AtomicInteger();
    Timer.Scheduled far = timer.at(System.nanoTime() + Long.MAX_VALUE, ran::incrementAndGet);
    var near = new CountDownLatch(1);
    timer.at(System.nanoTime() + MILLI, near::countDown);
    await(near);
    assertEquals(0, ran.get());
    assertTrue(far.cancel());
  }

  @Test
  void aTaskThatThrowsHarmsNoOther() throws InterruptedException {
    var ran = new CountDownLatch(1);
    timer.at(
        System.nanoTime(),
        () -> {
          throw new StackOverflowError("of the task");
        });
    timer.at(System.nanoTime() + MILLI, ran::countDown);
    await(ran);
  }

  @Test
  void aTaskMayScheduleAgain() throws InterruptedException {
    var times = new CountDownLatch(5);
    timer.at(System.nanoTime(), new Again(times));
    await(times);
  }

  private final class Again implements Runnable {
    private final CountDownLatch times;

    Again(CountDownLatch times) {
      this.times = times;
    }

    @Override
    public void run() {
      times.countDown();
      if (times.getCount() > 0) {
        timer.at(System.nanoTime() + MILLI, this);
      }
    }
  }

  @Test
  void theThreadDoesNotRunWhileNothingIsDue() throws InterruptedException {
    var ran = new CountDownLatch(1);
    timer.at(System.nanoTime(), ran::countDown);
    await(ran);
    timer.at(System.nanoTime() + 3_600_000 * MILLI, () -> {});
    Thread.sleep(20); // lets the thread fall asleep: this is about it doing nothing in real time
    long before = timer.wakeUps();
    Thread.sleep(300);
    assertEquals(before, timer.wakeUps());
  }

  @Test
  void closingTellsWhatWillNeverRun() throws InterruptedException {
    Runnable never = () -> {};
    timer.at(System.nanoTime() + 3_600_000 * MILLI, never);
    assertEquals(List.of(never), timer.shutdownNow());
    assertEquals(List.of(), timer.shutdownNow());
    assertThrows(RejectedExecutionException.class, () -> timer.at(0, () -> {}));
  }

  @Test
  void aTaskMayCloseItsTimer() throws InterruptedException {
    var closed = new CountDownLatch(1);
    timer.at(
        System.nanoTime(),
        () -> {
          timer.close();
          closed.countDown();
        });
    await(closed);
    assertThrows(RejectedExecutionException.class, () -> timer.at(0, () -> {}));
  }

  @Test
  void manyThreadsScheduleAndCancelAtOnce() throws InterruptedException {
    var ran = new AtomicLong();
    var cancelled = new AtomicLong();
    var threads = new ArrayList<Thread>();
    for (int t = 0; t < 4; t++) {
      var random = new Random(t);
      var thread =
          new Thread(
              () -> {
                for (int i = 0; i < 50_000; i++) {
                  long due = System.nanoTime() + random.nextInt(2_000_000);
                  Timer.Scheduled task = timer.at(due, ran::incrementAndGet);
                  if (random.nextBoolean() && task.cancel()) {
                    cancelled.incrementAndGet();
                  }
                }
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    var last = new CountDownLatch(1);
    timer.at(System.nanoTime() + 100 * MILLI, last::countDown);
    await(last);
    assertEquals(200_000, ran.get() + cancelled.get());
  }

  /** What is overdue when it comes must wake a timer that has nothing to wait for. */
  @Test
  void wakesForWhatIsOverdue() throws InterruptedException {
    for (int round = 0; round < 100; round++) {
      var ran = new CountDownLatch(1);
      timer.at(System.nanoTime() - MILLI, ran::countDown);
      await(ran);
    }
  }
}
