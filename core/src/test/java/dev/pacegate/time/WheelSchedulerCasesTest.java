package dev.pacegate.time;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.time.Timer.Scheduled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** LS: the cases of a scheduler on a wheel. */
class WheelSchedulerCasesTest extends TimersOnManualTime {

  private static final long TICK = 1 << 16;
  private static final long SEED = Long.getLong("pacegate.seed", 11);

  @Test // LS-1
  void twoTasksOfOneInstantRunOnceEach() {
    after(300);
    after(300);
    advance(100);
    assertEquals(List.of(), ran);
    advance(1_900);
    assertEquals(List.of(300L, 300L), ran);
  }

  @Test // LS-2
  void aCancelledTaskDoesNotRun() {
    for (int i = 0; i < 10; i++) {
      Scheduled task = after(1_000);
      assertTrue(task.cancel());
      assertFalse(task.cancel());
    }
    advance(2_000);
    assertEquals(List.of(), ran);
  }

  /** Exactly as long as a wheel, a slot, a tick; and a nanosecond more or less. */
  @ParameterizedTest // LS-4
  @ValueSource(longs = {1, 64, 64 * 64, 64 * 64 * 64, 1L << 24, 1L << 30, 1L << 36, 1L << 42})
  void delaysOfWholeTurnsOfTheWheelAreExact(long ticks) {
    for (long start : new long[] {0, 1, TICK - 1, 63 * TICK + 5, 4095 * TICK}) {
      for (long delay : new long[] {ticks * TICK - 1, ticks * TICK, ticks * TICK + 1}) {
        var wheel = new TimerWheel<Long>(0);
        Wheels.expire(wheel, start, early -> {});
        Wheels.add(wheel, start + delay, delay);
        while (wheel.size() > 0) { // a sleeper that trusts what it is told
          long now = start + delay - 1;
          Wheels.expire(wheel, now, early -> assertEquals(-1, early));
          assertEquals(1, wheel.nanosUntilNext(now));
          Wheels.expire(wheel, start + delay, task -> assertEquals(delay, task));
        }
      }
    }
  }

  @Test // LS-5
  void aMillionTasksRunOnceOrAreCancelledHalfWay() {
    var random = new Random(SEED);
    var wheel = new TimerWheel<Integer>(0);
    var entries = new ArrayList<TimerWheel.Entry<Integer>>();
    var fired = new int[1_000_000];
    for (int i = 0; i < fired.length; i++) {
      entries.add(Wheels.add(wheel, (long) (random.nextDouble() * 3 * SECOND), i));
    }
    Wheels.expire(wheel, 3 * SECOND / 2, i -> fired[i]++);
    int cancelled = 0;
    for (int i = 0; i < fired.length; i += 2) {
      if (entries.get(i).cancel()) {
        fired[i]++;
        cancelled++;
      }
    }
    assertEquals(250_000, cancelled, 10_000);
    for (long now = 3 * SECOND / 2; now <= 3 * SECOND; now += MILLI) {
      Wheels.expire(wheel, now, i -> fired[i]++);
    }
    for (int i = 0; i < fired.length; i++) {
      assertEquals(1, fired[i], "with -Dpacegate.seed=" + SEED + ": entry " + i);
    }
  }

  @Test // LS-6
  void aPeriodicTaskRunsAtEachPeriod() {
    new Repeating(0, 50, true, this::note);
    advance(100);
    assertEquals(List.of(0L, 50L, 100L), ran);
  }

  @ParameterizedTest // LS-6
  @ValueSource(ints = {1, 3})
  void aPeriodicTaskThatThrowsStops(int last) {
    new Repeating(
        0,
        50,
        true,
        () -> {
          note();
          if (ran.size() == last) {
            throw new IllegalStateException("thrown by a test");
          }
        });
    advance(1_000);
    assertEquals(last, ran.size());
    assertEquals(0, time.pending());
  }

  @Test // LS-6
  void aPeriodicTaskIsCancelledBeforeAndAfterItsFirstRun() {
    var before = new Repeating(90, 500, true, this::note);
    advance(80);
    assertTrue(before.cancel());
    advance(1_000);
    assertEquals(List.of(), ran);

    var after = new Repeating(90, 500, true, this::note);
    advance(200);
    assertTrue(after.cancel());
    advance(1_000);
    assertEquals(1, ran.size());
  }

  /** What works does so for as long as it takes; a fixed rate does not count that. */
  @ParameterizedTest // LS-7
  @CsvSource({
    "0,    25,  true,  0,   200, 4975", // 40/s
    "0,    225, true,  100, 10,  2025", // 4.4/s
    "0,    125, false, 100, 10,  2025",
    "1000, 300, true,  0,   3,   1600",
  })
  void fixedRatesDoNotDriftAndFixedDelaysAddTheWork(
      long initial, long period, boolean fixedRate, long work, int runs, long lastStarts) {
    new Repeating(
        initial,
        period,
        fixedRate,
        () -> {
          note();
          advance(work);
        });
    while (ran.size() < runs) {
      assertTrue(time.advanceToNext());
    }
    assertEquals(lastStarts, ran.get(runs - 1));
  }

  @Test // LS-7
  void aFixedRateCatchesUpAfterAPause() {
    var repeating = new Repeating(100, 100, true, this::note);
    time.at(
        150 * MILLI,
        () -> {
          repeating.cancel();
          advance(400); // nothing else runs meanwhile
          repeating.run();
        });
    advance(200);
    assertEquals(List.of(100L, 550L, 550L, 550L, 550L), ran.subList(0, 5));
  }

  /** Each as soon as it is looked at, not a step later. */
  @Test // LS-9
  void aLateLookFindsAllThatIsDue() {
    long step = 10 * MILLI;
    var wheel = new TimerWheel<Integer>(0);
    for (int i = 0; i < 4; i++) {
      Wheels.add(wheel, step / 2 + i * step, i);
    }
    Wheels.add(wheel, 6 * step, 4);
    var due = new ArrayList<Integer>();
    assertEquals(step / 2, wheel.nanosUntilNext(0));
    Wheels.expire(wheel, step, due::add);
    assertEquals(List.of(0), due);
    Wheels.expire(wheel, step + 9 * step / 2, due::add);
    assertEquals(List.of(0, 1, 2, 3), due);
    assertEquals(step / 2, wheel.nanosUntilNext(step + 9 * step / 2));
  }

  /** A deadline is an instant: who oversleeps it finds it due. */
  @Test // LS-10
  void aDeadlineThatIsSleptThroughIsDue() {
    long step = 10 * MILLI;
    var wheel = new TimerWheel<String>(0);
    Wheels.add(wheel, 3 * step, "a");
    var due = new ArrayList<String>();
    Wheels.expire(wheel, 5 * step, due::add);
    assertEquals(List.of("a"), due);
  }

  @Test // LS-14
  void aShutdownRejectsLaterTasks() {
    var timer = new WheelTimer("cases");
    for (int i = 0; i < 200; i++) {
      timer.at(System.nanoTime() + 3_600 * SECOND, () -> {});
    }
    assertEquals(200, timer.shutdownNow().size());
    for (int i = 0; i < 200; i++) {
      assertThrows(RejectedExecutionException.class, () -> timer.at(0, () -> {}));
    }
  }

  /** Everything accepted runs or is returned, once. */
  @ParameterizedTest // LS-15
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void aShutdownAmongEnqueuersLosesNoTask(int round) throws InterruptedException {
    var timer = new WheelTimer("cases");
    var tasks = new ArrayList<Enqueued>();
    var enqueuers = new ArrayList<Thread>();
    var begun = new CountDownLatch(3);
    for (long delay : new long[] {0, 20_000, SECOND}) {
      var mine = new ArrayList<Enqueued>();
      var thread = new Thread(() -> enqueue(timer, delay, mine, tasks, begun));
      enqueuers.add(thread);
      thread.start();
    }
    assertTrue(begun.await(10, SECONDS));
    Thread.sleep(round); // so that it closes in the midst of it
    List<Runnable> never = timer.shutdownNow();
    for (Thread enqueuer : enqueuers) {
      enqueuer.join();
    }
    never.forEach(task -> ((Enqueued) task).returned.getAndIncrement());
    long begin = System.nanoTime();
    while (!settled(tasks) && System.nanoTime() - begin < 10 * SECOND) {
      Thread.onSpinWait(); // for the one that may be running
    }
    for (Enqueued task : tasks) {
      assertEquals(1, task.runs.get() + task.returned.get());
    }
  }

  private boolean settled(List<Enqueued> tasks) {
    return tasks.stream().allMatch(task -> task.runs.get() + task.returned.get() > 0);
  }

  private void enqueue(
      WheelTimer timer, long delay, List<Enqueued> mine, List<Enqueued> all, CountDownLatch begun) {
    try {
      for (int i = 0; i < 200_000; i++) { // a busy machine may close late
        var task = new Enqueued();
        timer.at(System.nanoTime() + delay, task);
        mine.add(task);
        begun.countDown();
      }
    } catch (RejectedExecutionException closed) {
      // Which ends it, too.
    }
    synchronized (all) {
      all.addAll(mine);
    }
  }
}
