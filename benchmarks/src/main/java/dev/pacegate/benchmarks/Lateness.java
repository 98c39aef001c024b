package dev.pacegate.benchmarks;

import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * How late tasks begin, in real time: one every two milliseconds or so, all scheduled beforehand.
 *
 * <p>In rounds, each of which measures every timer once, for the same reason as {@link TimerSpeed}.
 */
final class Lateness {

  private static final long MEAN_GAP_NANOS = 2_000_000;

  /**
   * How late the tasks of one timer were.
   *
   * @param subject the timer; null for a thread that does nothing but park until the next instant
   */
  record Row(@Nullable TimerSubject subject, long[] nanos) {

    String title() {
      return subject == null ? "a thread in `parkNanos`" : subject.title;
    }

    /** Returns the lateness that the given share of tasks did not exceed. */
    long quantile(double share) {
      return nanos[(int) Math.min(nanos.length - 1L, (long) (nanos.length * share))];
    }
  }

  private final int tasks;
  private final long[][] late = new long[TimerSubject.values().length + 1][0];
  private int round;

  Lateness(int tasksInARound) {
    this.tasks = tasksInARound;
  }

  /** Measures every timer once more. */
  void round() throws InterruptedException {
    round++;
    add(0, parked());
    for (TimerSubject subject : TimerSubject.values()) {
      add(1 + subject.ordinal(), scheduled(subject));
    }
  }

  Row floor() {
    return new Row(null, late[0]);
  }

  Row of(TimerSubject subject) {
    return new Row(subject, late[1 + subject.ordinal()]);
  }

  private void add(int index, long[] more) {
    long[] all = Arrays.copyOf(late[index], late[index].length + more.length);
    System.arraycopy(more, 0, all, late[index].length, more.length);
    Arrays.sort(all);
    late[index] = all;
  }

  /** Returns the instants at which to run, which are the same for all in one round. */
  private long[] instants(long begin) {
    var random = new Random(round);
    long[] instants = new long[tasks];
    for (int i = 0; i < tasks; i++) {
      begin += (long) ((0.5 + random.nextDouble()) * MEAN_GAP_NANOS);
      instants[i] = begin;
    }
    return instants;
  }

  private static long soon() {
    return System.nanoTime() + 10_000_000;
  }

  private long[] parked() {
    long[] instants = instants(soon());
    long[] result = new long[tasks];
    for (int i = 0; i < tasks; i++) {
      long now = System.nanoTime();
      while (now - instants[i] < 0) {
        LockSupport.parkNanos(instants[i] - now);
        now = System.nanoTime();
      }
      result[i] = now - instants[i];
    }
    return result;
  }

  private long[] scheduled(TimerSubject subject) throws InterruptedException {
    long[] result = new long[tasks];
    var all = new CountDownLatch(tasks);
    try (TimerSubject.Subject timer = subject.create("late-timer")) {
      timer.schedule(() -> {}, 0); // starts its thread
      long[] instants = instants(soon());
      for (int i = 0; i < tasks; i++) {
        int task = i;
        timer.schedule(
            () -> {
              result[task] = System.nanoTime() - instants[task];
              all.countDown();
            },
            instants[i] - System.nanoTime());
      }
      if (!all.await(5, TimeUnit.MINUTES)) {
        throw new IllegalStateException(subject + " has lost " + all.getCount() + " tasks");
      }
    }
    return result;
  }
}
