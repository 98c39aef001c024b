package dev.pacegate.engine.visit;

import static dev.pacegate.engine.visit.Clock.FOREVER;

import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Makes a thread spin at the end of a future's wait, in place of its alarm. */
public final class Spinner {

  private final Parking parking;
  private final TaskRunner runner;
  private final Clock.Visits visits;

  public Spinner(Parking parking, TaskRunner runner, Clock.Visits visits) {
    this.parking = parking;
    this.runner = runner;
    this.visits = visits;
  }

  /**
   * Makes a thread spin until the instant of {@code alarm}, which has not started, and call {@code
   * step} in its place. If no thread comes in time, the alarm rings.
   *
   * @param own the executor of the thread; the limiter's if null
   */
  public void attach(Alarm alarm, long until, @Nullable Executor own, Consumer<Visit> step) {
    if (parking.spinNanos() > 0 && until != FOREVER) {
      Runnable spin = () -> spin(alarm, until, own == null, step);
      alarm.before(
          parking.spinNanos(), own == null ? () -> runner.run(spin) : () -> runner.run(own, spin));
    }
  }

  private void spin(Alarm alarm, long until, boolean onExecutor, Consumer<Visit> step) {
    if (parking.spinUntil(until, alarm::isCancelled)) {
      visits.run(
          visit -> {
            visit.onExecutor = onExecutor;
            step.accept(visit);
          });
      alarm.cancel();
    }
  }
}
