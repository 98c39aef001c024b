package dev.pacegate.engine;

import static dev.pacegate.engine.visit.Clock.FOREVER;

import dev.pacegate.engine.visit.Alarm;
import dev.pacegate.engine.visit.Clock;
import dev.pacegate.engine.visit.Parking;
import dev.pacegate.engine.visit.TaskRunner;
import dev.pacegate.engine.visit.Visit;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** Makes a thread spin at the end of a future's wait, in place of its alarm. */
final class Spinner {

  private final Parking parking;
  private final TaskRunner runner;
  private final Clock.Visits visits;

  Spinner(Parking parking, TaskRunner runner, Clock.Visits visits) {
    this.parking = parking;
    this.runner = runner;
    this.visits = visits;
  }

  /**
   * Makes a thread spin and call {@code looks} in place of {@code alarm}, which has not started. If
   * no thread comes in time, the alarm rings.
   */
  void attach(Alarm alarm, FutureWaiter watch, Consumer<Visit> looks) {
    long until = watch.looksAt;
    if (parking.spinNanos() > 0 && until != FOREVER) {
      Executor own = watch.own;
      Runnable spin = () -> spin(alarm, until, own == null, looks);
      alarm.before(
          parking.spinNanos(), own == null ? () -> runner.run(spin) : () -> runner.run(own, spin));
    }
  }

  private void spin(Alarm alarm, long until, boolean onExecutor, Consumer<Visit> looks) {
    if (parking.spinUntil(until, alarm::isCancelled)) {
      visits.run(
          visit -> {
            visit.onExecutor = onExecutor;
            looks.accept(visit);
          });
      alarm.cancel();
    }
  }
}
