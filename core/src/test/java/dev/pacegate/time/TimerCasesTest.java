package dev.pacegate.time;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.time.Timer.Scheduled;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The documented cases of the timers that Pacegate's succeeds, by their names (LS: a scheduler on a
 * wheel, NT: a hashed wheel, ST: timers of stream stages, AT: timers of actors), in virtual time.
 * What repeats is a task that schedules itself again; what has a key cancels its predecessor.
 *
 * <p>In {@link WheelTimerTest}, as real time or threads are what they are about: LS-2 (after the
 * run), LS-3, LS-5 (100 000 that all run), NT-7. Not applicable:
 *
 * <ul>
 *   <li>a callback on cancelling (LS-2, NT-6): {@code cancel} answers;
 *   <li>a refused period or delay (LS-6) and a horizon (LS-8): there are no periods, and any
 *       instant is legal;
 *   <li>what a shutdown runs or waits for (LS-14): it returns what never ran;
 *   <li>a tick (LS-4, NT-3, NT-4: taken for one of 65 microseconds), an executor of the timer's own
 *       and a bound of what is pending (NT-5);
 *   <li>an owner that fails or restarts, nested scopes of owners (ST-1, AT-1): whoever owns a timer
 *       closes it.
 * </ul>
 */
@Timeout(60)
class TimerCasesTest {

  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;
  private static final long TICK = 1 << 16;
  private static final long SEED = Long.getLong("pacegate.seed", 11);

  private final ManualTime time = ManualTime.manual();
  private final List<Long> ran = new ArrayList<>(); // when, in milliseconds

  private Scheduled after(long millis) {
    return time.at(time.nanoTime() + millis * MILLI, this::note);
  }

  private void note() {
    ran.add(time.nanoTime() / MILLI);
  }

  private void advance(long millis) {
    time.advanceNanos(millis * MILLI);
  }

  /** A task that schedules itself again: at a fixed rate, or a fixed delay after it has run. */
  private final class Repeating implements Runnable {
    private final long periodNanos;
    private final boolean fixedRate;
    private final Runnable work;
    private long instant;
    private Scheduled next;

    Repeating(long initialMillis, long periodMillis, boolean fixedRate, Runnable work) {
      this.periodNanos = periodMillis * MILLI;
      this.fixedRate = fixedRate;
      this.work = work;
      this.instant = time.nanoTime() + initialMillis * MILLI;
      this.next = () -> false;
      next = time.at(instant, this);
    }

    @Override
    public void run() {
      work.run();
      instant = (fixedRate ? instant : time.nanoTime()) + periodNanos;
      next = time.at(instant, this);
    }

    boolean cancel() {
      return next.cancel();
    }
  }

  /** A scheduler on a wheel. */
  @Nested
  class Ls {

    @Test
    void ls1Once() {
      after(300);
      after(300);
      advance(100);
      assertEquals(List.of(), ran);
      advance(1_900);
      assertEquals(List.of(300L, 300L), ran);
    }

    @Test
    void ls2Cancel() {
      for (int i = 0; i < 10; i++) {
        Scheduled task = after(1_000);
        assertTrue(task.cancel());
        assertFalse(task.cancel());
      }
      advance(2_000);
      assertEquals(List.of(), ran);
    }

    /** Exactly as long as a wheel, a slot, a tick; and a nanosecond more or less. */
    @ParameterizedTest
    @ValueSource(longs = {1, 64, 64 * 64, 64 * 64 * 64, 1L << 24, 1L << 30, 1L << 36, 1L << 42})
    void ls4WheelMultiples(long ticks) {
      for (long start : new long[] {0, 1, TICK - 1, 63 * TICK + 5, 4095 * TICK}) {
        for (long delay : new long[] {ticks * TICK - 1, ticks * TICK, ticks * TICK + 1}) {
          var wheel = new TimerWheel<Long>(0);
          wheel.expire(start, early -> {});
          wheel.add(start + delay, delay);
          while (wheel.size() > 0) { // a sleeper that trusts what it is told
            long now = start + delay - 1;
            wheel.expire(now, early -> assertEquals(-1, early));
            assertEquals(1, wheel.nanosUntilNext(now));
            wheel.expire(start + delay, task -> assertEquals(delay, task));
          }
        }
      }
    }

    @Test
    void ls5AMillionOfWhichSomeAreCancelledHalfWay() {
      var random = new Random(SEED);
      var wheel = new TimerWheel<Integer>(0);
      var entries = new ArrayList<TimerWheel.Entry<Integer>>();
      var fired = new int[1_000_000];
      for (int i = 0; i < fired.length; i++) {
        entries.add(wheel.add((long) (random.nextDouble() * 3 * SECOND), i));
      }
      wheel.expire(3 * SECOND / 2, i -> fired[i]++);
      int cancelled = 0;
      for (int i = 0; i < fired.length; i += 2) {
        if (entries.get(i).cancel()) {
          fired[i]++;
          cancelled++;
        }
      }
      assertEquals(250_000, cancelled, 10_000);
      for (long now = 3 * SECOND / 2; now <= 3 * SECOND; now += MILLI) {
        wheel.expire(now, i -> fired[i]++);
      }
      for (int i = 0; i < fired.length; i++) {
        assertEquals(1, fired[i], "with -Dpacegate.seed=" + SEED + ": entry " + i);
      }
    }

    @Test
    void ls6Periodic() {
      new Repeating(0, 50, true, TimerCasesTest.this::note);
      advance(100);
      assertEquals(List.of(0L, 50L, 100L), ran);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void ls6PeriodicStopsWhenTheTaskThrows(int last) {
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

    @Test
    void ls6PeriodicIsCancelledBeforeAndAfterItsFirstRun() {
      var before = new Repeating(90, 500, true, TimerCasesTest.this::note);
      advance(80);
      assertTrue(before.cancel());
      advance(1_000);
      assertEquals(List.of(), ran);

      var after = new Repeating(90, 500, true, TimerCasesTest.this::note);
      advance(200);
      assertTrue(after.cancel());
      advance(1_000);
      assertEquals(1, ran.size());
    }

    /** What works does so for as long as it takes; a fixed rate does not count that. */
    @ParameterizedTest
    @CsvSource({
      "0,    25,  true,  0,   200, 4975", // 40/s
      "0,    225, true,  100, 10,  2025", // 4.4/s
      "0,    125, false, 100, 10,  2025",
      "1000, 300, true,  0,   3,   1600",
    })
    void ls7Rates(
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

    @Test
    void ls7AFixedRateCatchesUpAfterAPause() {
      var repeating = new Repeating(100, 100, true, TimerCasesTest.this::note);
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
    @Test
    void ls9ManualClock() {
      long step = 10 * MILLI;
      var wheel = new TimerWheel<Integer>(0);
      for (int i = 0; i < 4; i++) {
        wheel.add(step / 2 + i * step, i);
      }
      wheel.add(6 * step, 4);
      var due = new ArrayList<Integer>();
      assertEquals(step / 2, wheel.nanosUntilNext(0));
      wheel.expire(step, due::add);
      assertEquals(List.of(0), due);
      wheel.expire(step + 9 * step / 2, due::add);
      assertEquals(List.of(0, 1, 2, 3), due);
      assertEquals(step / 2, wheel.nanosUntilNext(step + 9 * step / 2));
    }

    /** A deadline is an instant: who oversleeps it finds it due. */
    @Test
    void ls10Oversleep() {
      long step = 10 * MILLI;
      var wheel = new TimerWheel<String>(0);
      wheel.add(3 * step, "a");
      var due = new ArrayList<String>();
      wheel.expire(5 * step, due::add);
      assertEquals(List.of("a"), due);
    }

    @Test
    void ls14ShutdownRejectsWhatComesLater() {
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
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void ls15ViciousEnqueue(int round) throws InterruptedException {
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
        WheelTimer timer,
        long delay,
        List<Enqueued> mine,
        List<Enqueued> all,
        CountDownLatch begun) {
      try {
        while (true) {
          var task = new Enqueued();
          timer.at(System.nanoTime() + delay, task);
          mine.add(task);
          begun.countDown();
        }
      } catch (RejectedExecutionException closed) {
        synchronized (all) {
          all.addAll(mine);
        }
      }
    }
  }

  private static final class Enqueued implements Runnable {
    final AtomicInteger runs = new AtomicInteger();
    final AtomicInteger returned = new AtomicInteger();

    @Override
    public void run() {
      runs.getAndIncrement();
    }
  }

  /** A hashed wheel. */
  @Nested
  class Nt {

    @Test
    void nt1() {
      Scheduled late = after(10_000);
      Scheduled early = after(2_000);
      advance(3_000);
      assertEquals(List.of(2_000L), ran);
      assertFalse(early.cancel());
      assertTrue(late.cancel());
    }

    @Test
    void nt2Stop() {
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

    @Test
    void nt3ATaskThatSchedulesItselfAgain() {
      new Repeating(100, 100, false, TimerCasesTest.this::note);
      advance(300);
      assertEquals(List.of(100L, 200L, 300L), ran);
    }

    /** Not within a tick of its instant: at it. */
    @Test
    void nt4AHundredThousandDelays() {
      var wheel = new TimerWheel<Long>(0);
      long now = 0;
      long added = 0;
      long seen = 0;
      long delay = 125 * MILLI;
      while (added < 100_000 || wheel.size() > 0) {
        long adds = added < 100_000 ? added * 1_000 : Long.MAX_VALUE;
        now = Math.min(adds, now + wheel.nanosUntilNext(now));
        if (now == adds) {
          wheel.add(now + delay, now + delay);
          added++;
        }
        long present = now;
        int before = wheel.size();
        wheel.expire(now, deadline -> assertEquals(deadline, present));
        seen += before - wheel.size();
      }
      assertEquals(100_000, seen);
    }

    @Test
    void nt6Pending() {
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

    @Test
    void nt6CancellingWhatIsDueWhileAnotherTaskKeepsTheThread() throws InterruptedException {
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

  /** Timers of stream stages and of actors: one for each key, the last one set. */
  @Nested
  class StAndAt {

    @Test
    void st1OneShot() {
      after(500);
      advance(499);
      assertEquals(List.of(), ran);
      advance(5_000);
      assertEquals(List.of(500L), ran);
    }

    @Test
    void st1AgainFromItsOwnHandler() {
      time.at(
          500 * MILLI,
          () -> {
            note();
            after(500);
          });
      advance(5_000);
      assertEquals(List.of(500L, 1_000L), ran);
    }

    @Test
    void st1OfOneKeyTheLastOneCounts() {
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

    @Test
    void st1RepeatingIsCancelledAtItsFifth() {
      var repeating = new Repeating(100, 100, true, TimerCasesTest.this::note);
      time.at(550 * MILLI, () -> assertTrue(repeating.cancel()));
      advance(5_000);
      assertEquals(List.of(100L, 200L, 300L, 400L, 500L), ran);
    }

    @Test
    void at1RepeatingAtLeastThreeTimesInFourIntervals() {
      new Repeating(100, 100, false, TimerCasesTest.this::note);
      advance(399);
      assertEquals(3, ran.size());
    }

    /** No message is queued: what is cancelled in time does not come later. */
    @Test
    void at1ReplacingAndCancellingAtTheInstantItself() {
      var second = new ArrayList<Scheduled>();
      time.at(100 * MILLI, () -> assertTrue(second.get(0).cancel()));
      second.add(after(100));
      advance(1_000);
      assertEquals(List.of(), ran);
    }

    @Test
    void at1AllAreCancelledOnStop() {
      var timer = new WheelTimer("cases");
      Runnable task = new Enqueued();
      timer.at(System.nanoTime() + 3_600 * SECOND, task);
      List<Runnable> never = timer.shutdownNow();
      assertSame(task, never.get(0));
      assertEquals(0, timer.pending());
    }
  }
}
