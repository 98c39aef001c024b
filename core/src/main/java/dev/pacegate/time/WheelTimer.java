package dev.pacegate.time;

import static java.util.Objects.requireNonNull;

import dev.pacegate.gate.Gate;
import dev.pacegate.thread.TimerThread;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A timer of any number of tasks on one daemon thread.
 *
 * <p><b>Promise.</b> No task runs before its instant, and each runs at most once. A task that is
 * cancelled before it begins never runs and is dropped at once, even if its instant has come while
 * another task keeps the thread. Tasks are late by what the system takes to wake a thread, some 70
 * microseconds on Linux, and by the tasks before them, as they share the thread.
 *
 * <p>The first task starts the thread. It parks until the earliest deadline; there is no background
 * tick. It ends after a minute without any task and is started again when needed, so an unused
 * timer leaves nothing behind. It inherits nothing from the thread that starts it. If a task
 * throws, the failure is logged and other tasks run as planned. Thread-safe; a task may schedule,
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

  // The gate guards all that follows. No thread blocks inside, except, once, the one that starts
  // the timer's thread. A thread whose stack is nearly exhausted may enter but be unable to call
  // the method that leaves. So every thread leaves by a write to the gate's word, and calls nothing
  // after the step that matters.
  private final Gate gate = new Gate();
  private final TimerWheel<Runnable> wheel;
  private @Nullable Thread thread;
  private boolean asleep; // or about to be, until wakesAt
  private long wakesAt;
  private long usedAt; // when there was last a task to run or to wait for
  private boolean closed;
  private long wakeUps;
  private long nextSleep; // of the thread, which alone reads it

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
    var scheduled = new WheelTask(requireNonNull(task));
    gate.enter();
    try {
      add(instant, scheduled);
    } finally {
      gate.word = Gate.FREE;
    }
    return scheduled;
  }

  private void add(long instant, WheelTask scheduled) {
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

  /** Returns how many tasks are pending. */
  public int pending() {
    return inside(wheel::size);
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
    return inside(
        () -> {
          var never = new ArrayList<Runnable>(wheel.size()); // must not fail when half is in it
          closed = true;
          wheel.drain(never::add);
          LockSupport.unpark(thread);
          return never;
        });
  }

  /** Returns how often the thread has woken up so far. */
  long wakeUps() {
    return inside(() -> wakeUps);
  }

  private <R extends @Nullable Object> R inside(Supplier<R> step) {
    gate.enter();
    try {
      return step.get();
    } finally {
      gate.word = Gate.FREE;
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

  /** Creates a thread that inherits neither thread locals nor class loader, rights or priority. */
  private Thread newThread() {
    try {
      return WithoutRights.make(this::makeThread);
    } catch (LinkageError noSuchRights) { // a JDK that has removed them
      return makeThread();
    }
  }

  private Thread makeThread() {
    return new TimerThread(this::run, name);
  }

  /** On some JDKs a thread inherits rights, and with them the class loaders of its first caller. */
  private static final class WithoutRights {

    @SuppressWarnings("removal")
    static Thread make(Supplier<Thread> maker) {
      PrivilegedAction<Thread> action = maker::get;
      return AccessController.doPrivileged(action);
    }
  }

  private void run() {
    long sleep = AT_ONCE;
    while (sleep != NEVER_AGAIN) {
      try {
        LockSupport.parkNanos(this, sleep);
        sleep = runNext();
      } catch (Throwable failure) { // not a task's, those stay with the task
        sleep = RECOVERY_NANOS;
      }
    }
  }

  /** Runs a task if one is due; returns for how long to sleep before looking again. */
  private long runNext() {
    Thread.interrupted(); // would keep it from parking; close() is the way to end the thread
    Runnable task = inside(this::next);
    if (task == null) {
      return nextSleep;
    }
    Tasks.runSafely(task);
    return AT_ONCE;
  }

  /** Returns a task that is due; if there is none, {@code nextSleep} says for how long to sleep. */
  private @Nullable Runnable next() {
    if (asleep) {
      asleep = false;
      wakeUps++;
    }
    if (closed || thread != Thread.currentThread()) { // start() may have failed half way
      nextSleep = NEVER_AGAIN;
      return null;
    }
    long now = clock.nanoTime();
    Runnable task = wheel.poll(now);
    if (task == null) {
      nextSleep = fallAsleep(now);
    } else {
      usedAt = now;
    }
    return task;
  }

  private long fallAsleep(long now) {
    long sleep = keepAliveNanos - (now - usedAt);
    if (wheel.size() > 0) {
      usedAt = now;
      sleep = Math.min(LONGEST_SLEEP, wheel.nanosUntilNext(now));
    } else if (sleep <= 0) {
      thread = null;
      return NEVER_AGAIN;
    }
    // The task it was woken for may be cancelled by now. It sleeps until then all the same, so that
    // a caller that schedules and cancels repeatedly does not wake it repeatedly.
    if (wakesAt - now > 0) {
      sleep = Math.min(sleep, wakesAt - now);
    }
    asleep = true;
    wakesAt = now + sleep;
    return sleep;
  }

  /** A task and its place in the wheel. */
  private final class WheelTask extends TimerWheel.Entry<Runnable> implements Scheduled {

    WheelTask(Runnable task) {
      super(task);
    }

    @Override
    public boolean cancel() {
      gate.enter();
      try {
        return super.cancel();
      } finally {
        gate.word = Gate.FREE;
      }
    }
  }
}
