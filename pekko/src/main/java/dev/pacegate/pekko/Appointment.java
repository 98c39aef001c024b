package dev.pacegate.pekko;

import dev.pacegate.time.Time;
import dev.pacegate.time.Timer.Scheduled;
import org.apache.pekko.stream.stage.AsyncCallback;
import org.jspecify.annotations.Nullable;

/**
 * What a stage is to do at an instant, one thing at a time. The timer only lets the stage know; the
 * stage does it in a turn of its own, or not at all if it has been cancelled by then.
 */
final class Appointment {

  private final Time time;
  private final AsyncCallback<Runnable> turns;
  private @Nullable Scheduled scheduled;
  private long made; // so that one that is cancelled as it comes is known

  Appointment(Time time, AsyncCallback<Runnable> turns) {
    this.time = time;
    this.turns = turns;
  }

  /** Makes an appointment in place of the last one. */
  void at(long instant, Runnable action) {
    cancel();
    long mine = made;
    scheduled = time.at(instant, () -> turns.invoke(() -> keep(mine, action)));
  }

  private void keep(long mine, Runnable action) {
    if (mine == made) {
      action.run();
    }
  }

  void cancel() {
    made++;
    if (scheduled != null) {
      scheduled.cancel();
      scheduled = null;
    }
  }
}
