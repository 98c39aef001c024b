package dev.pacegate.benchmarks;

import dev.pacegate.time.WheelTimer;
import io.netty.util.HashedWheelTimer;
import io.netty.util.TimerTask;
import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** The timers that are measured, each with one thread of its own. */
public enum TimerSubject {
  PACEGATE("Pacegate `WheelTimer`", Duration.ofMillis(1), Wheel::new),
  NETTY("Netty `HashedWheelTimer`", Duration.ofMillis(100), name -> new Netty(name, 100)),
  NETTY_1MS("Netty, tick 1 ms", Duration.ofMillis(1), name -> new Netty(name, 1)),
  EXECUTOR("`ScheduledThreadPoolExecutor`", Duration.ofMillis(1), Executor::new);

  /** A timer with a way to use it that costs it nothing extra. */
  interface Subject extends AutoCloseable {

    /** Schedules a task and forgets it. */
    void schedule(Runnable task, long delayNanos);

    /** Schedules what does nothing and cancels it; returns whether it was cancelled. */
    boolean scheduleAndCancel(long delayNanos);

    @Override
    void close();
  }

  final String title;
  final Duration tick;
  private final Function<String, Subject> creation;

  TimerSubject(String title, Duration tick, Function<String, Subject> creation) {
    this.title = title;
    this.tick = tick;
    this.creation = creation;
  }

  boolean isNetty() {
    return this == NETTY || this == NETTY_1MS;
  }

  /** Returns such a timer, whose thread has the given name. */
  Subject create(String threadName) {
    return creation.apply(threadName);
  }

  private static ThreadFactory daemons(String name) {
    return task -> {
      var thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
  }

  private static final class Wheel implements Subject {
    private static final Runnable NOTHING = () -> {};
    private final WheelTimer timer;

    Wheel(String threadName) {
      timer = new WheelTimer(threadName);
    }

    @Override
    public void schedule(Runnable task, long delayNanos) {
      timer.at(System.nanoTime() + delayNanos, task);
    }

    @Override
    public boolean scheduleAndCancel(long delayNanos) {
      return timer.at(System.nanoTime() + delayNanos, NOTHING).cancel();
    }

    @Override
    public void close() {
      timer.close();
    }
  }

  private static final class Netty implements Subject {
    private static final TimerTask NOTHING = timeout -> {};
    private final HashedWheelTimer timer;

    Netty(String threadName, long tickMillis) {
      timer = new HashedWheelTimer(daemons(threadName), tickMillis, TimeUnit.MILLISECONDS);
    }

    @Override
    public void schedule(Runnable task, long delayNanos) {
      timer.newTimeout(timeout -> task.run(), delayNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public boolean scheduleAndCancel(long delayNanos) {
      return timer.newTimeout(NOTHING, delayNanos, TimeUnit.NANOSECONDS).cancel();
    }

    @Override
    public void close() {
      timer.stop();
    }
  }

  private static final class Executor implements Subject {
    private static final Runnable NOTHING = () -> {};
    private final ScheduledThreadPoolExecutor executor;

    Executor(String threadName) {
      executor = new ScheduledThreadPoolExecutor(1, daemons(threadName));
      executor.setRemoveOnCancelPolicy(true);
    }

    @Override
    public void schedule(Runnable task, long delayNanos) {
      executor.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public boolean scheduleAndCancel(long delayNanos) {
      return executor.schedule(NOTHING, delayNanos, TimeUnit.NANOSECONDS).cancel(false);
    }

    @Override
    public void close() {
      executor.shutdownNow();
    }
  }
}
