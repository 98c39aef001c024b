package dev.pacegate;

import dev.pacegate.time.Time;
import dev.pacegate.time.Timer.Scheduled;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One appointment with a timer. Decided inside the gate, {@linkplain #start started} and
 * {@linkplain #cancel cancelled} outside it, by different threads in any order.
 */
final class Alarm {

  private final Time time;
  private final long instant;
  private final Consumer<Alarm> task;
  private volatile @Nullable Scheduled scheduled;
  private volatile boolean cancelled;

  Alarm(Time time, long instant, Consumer<Alarm> task) {
    this.time = time;
    this.instant = instant;
    this.task = task;
  }

  void start() {
    if (cancelled) {
      return;
    }
    Scheduled started = time.at(instant, () -> task.accept(this));
    scheduled = started;
    if (cancelled) {
      started.cancel();
    }
  }

  void cancel() {
    cancelled = true;
    Scheduled started = scheduled;
    if (started != null) {
      started.cancel();
    }
  }
}
