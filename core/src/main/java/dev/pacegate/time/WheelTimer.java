package dev.pacegate.time;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A timer of any number of tasks on one daemon thread.
 *
 * <p><b>Promise.</b> No task runs before its instant, each runs at most once, and a task that was
 * cancelled in time never runs and is forgotten at once. Tasks are late by what the system takes to
 * wake a thread, some 70 microseconds on Linux, and by the tasks before them: they share the
 * thread.
 *
 * <p>The thread is started by the first task. It parks until the earliest deadline, and while there
 * is none it does not run at all. A task that throws is logged and harms no other. Thread-safe; a
 * task may schedule, cancel and close.
 */
public final class WheelTimer implements Timer, AutoCloseable {

  private static final long FOREVER = Long.MAX_VALUE;

  private final String name;
  private final NanoClock clock;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private final TimerWheel<Runnable> wheel;
  private @Nullable Thread thread;
  private boolean asleep; // or about to be, until wakesAt, or for ever
  private boolean forEver;
  private long wakesAt;
  private boolean closed;
  private long wakeUps;

  /** Returns a timer by this machine's clock, whose thread is called {@code name}. */
  public WheelTimer(String name) {
    this(name, System::nanoTime);
  }

  WheelTimer(String name, NanoClock clock) {
    this.name = requireNonNull(name);
    this.clock = clock;
    this.wheel = new TimerWheel<>(clock.nanoTime());
  }

  /**
   * {@inheritDoc}
   *
   * @throws RejectedExecutionException if the timer is closed
   */
  @Override
  public Scheduled at(long instant, Runnable task) {
    requireNonNull(task);
    TimerWheel.Entry<Runnable> entry;
    Thread toWake = null;
    lock.lock();
    try {
      if (closed) {
        throw new RejectedExecutionException("the timer " + name + " is closed");
      }
      entry = wheel.add(instant, task);
      if (thread == null) {
        start();
      } else if (asleep && (forEver || instant - wakesAt < 0)) {
        forEver = false;
        wakesAt = instant;
        toWake = thread;
      }
    } finally {
      lock.unlock();
    }
    if (toWake != null) {
      LockSupport.unpark(toWake);
    }
    return () -> cancel(entry);
  }

  private boolean cancel(TimerWheel.Entry<Runnable> entry) {
    lock.lock();
    try {
      return entry.cancel();
    } finally {
      lock.unlock();
    }
  }

  /** Returns how many tasks are pending. */
  public int pending() {
    lock.lock();
    try {
      return wheel.size();
    } finally {
      lock.unlock();
    }
  }

  /** Stops the timer, as {@link #shutdownNow} does. */
  @Override
  public void close() {
    shutdownNow();
  }

  /** Stops the timer and returns the tasks that will never run. Does not wait for one that runs. */
  public List<Runnable> shutdownNow() {
    var never = new ArrayList<Runnable>();
    Thread toWake;
    lock.lock();
    try {
      closed = true;
      wheel.drain(never::add);
      toWake = thread;
    } finally {
      lock.unlock();
    }
    LockSupport.unpark(toWake);
    return never;
  }

  /** Returns how often the thread has woken up so far. */
  long wakeUps() {
    lock.lock();
    try {
      return wakeUps;
    } finally {
      lock.unlock();
    }
  }

  private void start() {
    var started = new Thread(null, this::run, name, 0, false);
    started.setDaemon(true);
    thread = started;
    started.start();
  }

  private void run() {
    var due = new ArrayList<Runnable>();
    for (long sleep = next(due); sleep >= 0; sleep = next(due)) {
      if (!due.isEmpty()) {
        due.forEach(Tasks::runSafely);
        due.clear();
      } else if (sleep == FOREVER) {
        LockSupport.park(this);
      } else {
        LockSupport.parkNanos(this, sleep);
      }
      Thread.interrupted(); // would keep it from parking; a task that wants to end it closes it
    }
  }

  /** Collects what is due; if nothing is, returns for how long to sleep; negative at the end. */
  private long next(List<Runnable> due) {
    lock.lock();
    try {
      wakeUps++;
      if (closed) {
        return -1;
      }
      long now = clock.nanoTime();
      wheel.expire(now, due::add);
      long sleep = due.isEmpty() ? wheel.nanosUntilNext(now) : 0;
      asleep = due.isEmpty();
      forEver =
          sleep == FOREVER; // no instant compares with that: one that is overdue would be later
      wakesAt = now + sleep;
      return sleep;
    } finally {
      lock.unlock();
    }
  }
}
