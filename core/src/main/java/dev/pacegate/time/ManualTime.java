package dev.pacegate.time;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.PriorityQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Time that moves only when told to, so that tests of code that waits need not wait.
 *
 * <p>A {@linkplain #manual() manual} time stands still until {@link #advance} moves it; threads
 * that wait on it really wait. A {@linkplain #selfAdvancing() self-advancing} time moves when a
 * thread waits on it: a wait of an hour returns at once, an hour later. Use that form with one
 * thread; with several, the first to wait moves the clock for all.
 *
 * <p>Tasks run on the thread that moves the clock, in the order of their instants (for the same
 * instant, in the order in which they were scheduled), and each sees the clock at its own instant.
 * Thread-safe.
 */
public final class ManualTime implements Time {

  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

  private final boolean selfAdvancing;
  private final ReentrantLock moving = new ReentrantLock();
  private final PriorityQueue<ScheduledTask> entries = new PriorityQueue<>();
  private long now;
  private long since1970; // what must be added to now
  private long scheduled;

  private ManualTime(long origin, boolean selfAdvancing) {
    this.now = origin;
    this.since1970 = -origin;
    this.selfAdvancing = selfAdvancing;
  }

  /** Returns a time that stands at 0 until it is advanced. */
  public static ManualTime manual() {
    return manual(0);
  }

  /** Returns a time that stands at {@code origin} until it is advanced. */
  public static ManualTime manual(long origin) {
    return new ManualTime(origin, false);
  }

  /** Returns a time that starts at 0 and that waiting moves forward. */
  public static ManualTime selfAdvancing() {
    return selfAdvancing(0);
  }

  /** Returns a time that starts at {@code origin} and that waiting moves forward. */
  public static ManualTime selfAdvancing(long origin) {
    return new ManualTime(origin, true);
  }

  @Override
  public synchronized long nanoTime() {
    return now;
  }

  /** Returns the time of day: it starts in 1970 unless set. */
  @Override
  public synchronized Instant instant() {
    return Instant.ofEpochSecond(0, now + since1970);
  }

  /** Sets the time of day alone, as when an operator sets the clock of a machine. */
  public synchronized void setInstant(Instant timeOfDay) {
    since1970 = ChronoUnit.NANOS.between(Instant.EPOCH, timeOfDay) - now;
  }

  /**
   * Moves the clock forward by {@code span} and runs the tasks that fall due on the way.
   *
   * @throws IllegalArgumentException if {@code span} is negative, or longer than 292 years
   */
  public void advance(Duration span) {
    if (span.isNegative() || span.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "a span must be from 0s to " + LONGEST.toDays() + "d: " + Durations.decimal(span));
    }
    advanceNanos(span.toNanos());
  }

  /**
   * Moves the clock forward by {@code nanos} and runs the tasks that fall due on the way.
   *
   * @throws IllegalArgumentException if {@code nanos} is negative
   */
  public void advanceNanos(long nanos) {
    if (nanos < 0) {
      throw new IllegalArgumentException("nanos must not be negative: " + nanos);
    }
    moving.lock(); // two threads that move it by a second each move it by two
    try {
      long instant = nanoTime() + nanos;
      while (runNext(instant)) {
        // and what it has scheduled
      }
    } finally {
      moving.unlock();
    }
  }

  /**
   * Moves the clock to the instant of the next pending task and runs it; false if there is none.
   */
  public boolean advanceToNext() {
    ScheduledTask next;
    synchronized (this) {
      next = entries.poll();
      if (next == null) {
        return false;
      }
      moveTo(next.instant);
    }
    Tasks.runSafely(next.task);
    return true;
  }

  /** Returns how many tasks are pending, timed waits of threads included. */
  public synchronized int pending() {
    return entries.size();
  }

  /** {@inheritDoc} If the instant has come already, the calling thread runs the task. */
  @Override
  public Scheduled at(long instant, Runnable task) {
    requireNonNull(task);
    synchronized (this) {
      if (instant - now > 0) {
        var entry = new ScheduledTask(instant, scheduled++, task);
        entries.add(entry);
        return () -> withdraw(entry);
      }
    }
    Tasks.runSafely(task);
    return () -> false;
  }

  @Override
  public void parkUntil(Object blocker, long instant) {
    requireNonNull(blocker);
    if (selfAdvancing) {
      runNext(instant); // no further than to a task, so that the waiter looks again
    } else {
      Time.super.parkUntil(blocker, instant);
    }
  }

  private synchronized boolean withdraw(ScheduledTask entry) {
    return entries.remove(entry);
  }

  /** Moves to the first task due by {@code instant} and runs it, or else to the instant: false. */
  private boolean runNext(long instant) {
    ScheduledTask due = moveToNext(instant);
    if (due != null) {
      Tasks.runSafely(due.task);
    }
    return due != null;
  }

  /**
   * Takes the first entry due by {@code instant} and moves to it; without one moves to the instant.
   */
  private synchronized @Nullable ScheduledTask moveToNext(long instant) {
    ScheduledTask first = entries.peek();
    if (first == null || first.instant - instant > 0) {
      moveTo(instant);
      return null;
    }
    entries.poll();
    moveTo(first.instant);
    return first;
  }

  private void moveTo(long instant) {
    if (instant - now > 0) {
      now = instant;
    }
  }

  private record ScheduledTask(long instant, long order, Runnable task)
      implements Comparable<ScheduledTask> {

    @Override
    public int compareTo(ScheduledTask other) {
      long difference = instant != other.instant ? instant - other.instant : order - other.order;
      return Long.signum(difference);
    }
  }
}
