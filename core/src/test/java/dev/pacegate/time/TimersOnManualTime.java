package dev.pacegate.time;

import dev.pacegate.time.Timer.Scheduled;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;

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
 *   <li>an owner that fails or restarts, nested scopes of owners (ST-1, AT-1): the owner of a timer
 *       closes it.
 * </ul>
 */
@Timeout(60)
abstract class TimersOnManualTime {

  static final long MILLI = 1_000_000;
  static final long SECOND = 1_000 * MILLI;
  final ManualTime time = ManualTime.manual();

  final List<Long> ran = new ArrayList<>(); // when, in milliseconds

  Scheduled after(long millis) {
    return time.at(time.nanoTime() + millis * MILLI, this::note);
  }

  void note() {
    ran.add(time.nanoTime() / MILLI);
  }

  void advance(long millis) {
    time.advanceNanos(millis * MILLI);
  }

  /** A task that schedules itself again: at a fixed rate, or a fixed delay after it has run. */
  final class Repeating implements Runnable {
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

  /** Counts how often it has run, and been returned by a shutdown. */
  static final class Enqueued implements Runnable {
    final AtomicInteger runs = new AtomicInteger();
    final AtomicInteger returned = new AtomicInteger();

    @Override
    public void run() {
      runs.getAndIncrement();
    }
  }
}
