package dev.pacegate.time;

import static java.util.Objects.requireNonNull;

import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A timer of any number of tasks on one daemon thread.
 *
 * <p><b>Promise.</b> No task runs before its instant, each runs at most once, and a task that was
 * cancelled in time never runs and is forgotten at once. In time is until it runs: also when its
 * instant has come, but another task keeps the thread. Tasks are late by what the system takes to
 * wake a thread, some 70 microseconds on Linux, and by the tasks before them: they share the
 * thread.
 *
 * <p>The thread is started by the first task. It parks until the earliest deadline; nothing ticks.
 * It ends once it has found nothing to wait for during a minute, and is started again when needed,
 * so a timer that is forgotten leaves nothing behind. It inherits nothing from whoever happens to
 * start it. A task that throws is logged and harms no other. Thread-safe; a task may schedule,
 * cancel and close.
 */
public final class WheelTimer implements Timer, AutoCloseable {

  private static final long KEEP_ALIVE_NANOS = 60_000_000_000L;
  private static final long LONGEST_SLEEP = Long.MAX_VALUE / 4; // so that wakesAt can be compared
  private static final long RECOVERY_NANOS = 1_000_000;
  private static final long AT_ONCE = 0;
  private static final long NEVER_AGAIN = -1;

  private final String name;
  private final NanoClock clock;
  private final long keepAliveNanos;

  // The wheel's monitor guards all of these. Leaving a monitor takes no stack, so whoever calls
  // close
  // to the end of its own cannot leave it locked, as it could leave a Lock. Nobody blocks inside.
  private final TimerWheel<Runnable> wheel;
  private @Nullable Thread thread;
  private boolean asleep; // or about to be, until wakesAt
  private long wakesAt;
  private long usedAt; // when there was last something to run or to wait for
  private boolean closed;
  private long wakeUps;

  /** Returns a timer by this machine's clock, whose thread is called {@code name}. */
  public WheelTimer(String name) {
    this(name, System::nanoTime, KEEP_ALIVE_NANOS);
  }

  WheelTimer(String name, NanoClock clock, long keepAliveNanos) {
    this.name = requireNonNull(name);
    this.clock = clock;
    this.keepAliveNanos = keepAliveNanos;
    this.wheel = new TimerWheel<>(clock.nanoTime());
  }

  /**
   * {@inheritDoc}
   *
   * @throws RejectedExecutionException if the timer is closed
   */
  @Override
  public Scheduled at(long instant, Runnable task) {
    var scheduled = new Task(requireNonNull(task));
    synchronized (wheel) {
      if (closed) {
        throw new RejectedExecutionException("the timer " + name + " is closed");
      }
      if (thread == null) {
        start();
      } else if (asleep && instant - wakesAt < 0) {
        LockSupport.unpark(thread);
        wakesAt = instant;
      }
      wheel.add(instant, scheduled); // after all else that may fail
    }
    return scheduled;
  }

  /** Returns how many tasks are pending. */
  public int pending() {
    synchronized (wheel) {
      return wheel.size();
    }
  }

  /** Stops the timer, as {@link #shutdownNow} does. */
  @Override
  public void close() {
    shutdownNow();
  }

  /**
   * Stops the timer and returns the tasks that will never run: all that were not cancelled and have
   * not begun. Does not wait for one that runs.
   */
  public List<Runnable> shutdownNow() {
    synchronized (wheel) {
      var never = new ArrayList<Runnable>(wheel.size()); // must not fail when half is in it
      closed = true;
      wheel.drain(never::add);
      LockSupport.unpark(thread);
      return never;
    }
  }

  /** Returns how often the thread has woken up so far. */
  long wakeUps() {
    synchronized (wheel) {
      return wakeUps;
    }
  }

  private void start() {
    usedAt = clock.nanoTime();
    wakesAt = usedAt;
    asleep = false;
    Thread started = newThread();
    started.start();
    thread = started;
  }

  /** The caller's thread locals, class loader, rights and priority are nothing to this thread. */
  @SuppressWarnings({
    "removal", // as long as there are JDKs on which a thread inherits rights
    "ThreadPriorityCheck" // so that it is not what the caller's happens to be
  })
  private Thread newThread() {
    PrivilegedAction<Thread> creation =
        () -> {
          var created = new Thread(null, this::run, name, 0, false);
          created.setDaemon(true);
          created.setPriority(Thread.NORM_PRIORITY);
          created.setContextClassLoader(ClassLoader.getSystemClassLoader());
          return created;
        };
    return AccessController.doPrivileged(creation);
  }

  private void run() {
    long sleep = AT_ONCE;
    while (sleep != NEVER_AGAIN) {
      try {
        if (sleep > 0) {
          LockSupport.parkNanos(this, sleep);
        }
        sleep = runNext();
      } catch (Throwable failure) { // not a task's, those stay with the task
        sleep = RECOVERY_NANOS;
      }
    }
  }

  /** Runs a task if one is due; returns for how long to sleep before looking again. */
  private long runNext() {
    Runnable task;
    Thread.interrupted(); // would keep it from parking; whoever wants to end it closes the timer
    synchronized (wheel) {
      if (asleep) {
        asleep = false;
        wakeUps++;
      }
      if (closed || thread != Thread.currentThread()) { // start() may have failed half way
        return NEVER_AGAIN;
      }
      long now = clock.nanoTime();
      task = wheel.poll(now);
      if (task == null) {
        return fallAsleep(now);
      }
      usedAt = now;
    }
    Tasks.runSafely(task);
    return AT_ONCE;
  }

  private long fallAsleep(long now) {
    if (wheel.size() > 0) {
      usedAt = now;
    } else if (now - usedAt >= keepAliveNanos) {
      thread = null;
      return NEVER_AGAIN;
    }
    long sleep =
        wheel.size() > 0
            ? Math.min(LONGEST_SLEEP, wheel.nanosUntilNext(now))
            : keepAliveNanos - (now - usedAt);
    // What it was woken for may be cancelled by now. It sleeps until then all the same: so whoever
    // schedules and cancels again and again does not wake it again and again.
    if (wakesAt - now > 0) {
      sleep = Math.min(sleep, wakesAt - now);
    }
    asleep = true;
    wakesAt = now + sleep;
    return sleep;
  }

  /** A task and its place in the wheel. */
  private final class Task extends TimerWheel.Entry<Runnable> implements Scheduled {

    Task(Runnable task) {
      super(task);
    }

    @Override
    public boolean cancel() {
      synchronized (wheel) {
        return super.cancel();
      }
    }
  }
}
