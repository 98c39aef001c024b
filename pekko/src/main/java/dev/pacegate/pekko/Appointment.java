package dev.pacegate.pekko;

import dev.pacegate.time.Time;
import dev.pacegate.time.Timer.Scheduled;
import org.apache.pekko.stream.stage.AsyncCallback;
import org.jspecify.annotations.Nullable;

/**
 * The next action of a stage at an instant, one at a time. The timer only signals the stage; the
 * stage acts in a turn of its own, or not at all if it was cancelled by then.
 */
final class Appointment {

  private final Time time;
  private final AsyncCallback<Runnable> turns;
  private @Nullable Scheduled scheduled;
  private long made; // a counter, to recognise one that is cancelled as it comes

  Appointment(Time time, AsyncCallback<Runnable> turns) {
    this.time = time;
    this.turns = turns;
  }

  /** Schedules {@code action}, in place of the last one. */
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
