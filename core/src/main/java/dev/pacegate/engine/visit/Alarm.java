package dev.pacegate.engine.visit;

import dev.pacegate.time.Time;
import dev.pacegate.time.Timer.Scheduled;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One task at a timer. It is created inside the gate, and {@linkplain #start started} and
 * {@linkplain #cancel cancelled} outside it, by different threads in any order.
 */
public final class Alarm {

  private final Time time;
  private final long instant;
  private final Consumer<Alarm> task;
  private @Nullable Call before; // set before it starts
  private volatile @Nullable Scheduled scheduled;
  private volatile @Nullable Scheduled scheduledBefore;
  private volatile boolean cancelled;

  /** A task to run shortly before the alarm rings. */
  private record Call(long instant, Runnable task) {}

  Alarm(Time time, long instant, Consumer<Alarm> task) {
    this.time = time;
    this.instant = instant;
    this.task = task;
  }

  /** Runs {@code task} {@code nanos} before the alarm rings, unless it is cancelled by then. */
  void before(long nanos, Runnable task) {
    before = new Call(instant - nanos, task);
  }

  public void start() {
    if (cancelled) {
      return;
    }
    if (before != null) {
      scheduledBefore = time.at(before.instant, before.task);
    }
    scheduled = time.at(instant, () -> task.accept(this));
    if (cancelled) {
      withdraw();
    }
  }

  public void cancel() {
    cancelled = true;
    withdraw();
  }

  private void withdraw() {
    cancel(scheduledBefore);
    cancel(scheduled);
  }

  private static void cancel(@Nullable Scheduled started) {
    if (started != null) {
      started.cancel();
    }
  }

  public boolean isCancelled() {
    return cancelled;
  }
}
