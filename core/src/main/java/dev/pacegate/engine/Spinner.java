package dev.pacegate.engine;

import static dev.pacegate.engine.Clock.FOREVER;

import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** Has a thread spin through the end of a future's wait, and look in place of its alarm. */
final class Spinner {

  private final Parking parking;
  private final TaskRunner runner;
  private final Executor executor;
  private final Consumer<Consumer<Visit>> visits;

  /**
   * @param executor has the threads that spin for futures without an executor of their own
   * @param visits enters the gate and makes a visit of it
   */
  Spinner(Parking parking, TaskRunner runner, Executor executor, Consumer<Consumer<Visit>> visits) {
    this.parking = parking;
    this.runner = runner;
    this.executor = executor;
    this.visits = visits;
  }

  /**
   * Has {@code looks} done in place of {@code alarm}, which has not started. If no thread comes to
   * spin, or not in time, the alarm rings.
   */
  void attach(Alarm alarm, FutureWaiter watch, Consumer<Visit> looks) {
    long until = watch.looksAt;
    if (parking.spinNanos() > 0 && until != FOREVER) {
      Executor own = watch.own;
      Executor threads = own == null ? executor : own;
      alarm.before(
          parking.spinNanos(),
          () -> runner.run(threads, () -> spin(alarm, until, own == null, looks)));
    }
  }

  private void spin(Alarm alarm, long until, boolean onExecutor, Consumer<Visit> looks) {
    if (parking.spinUntil(until, alarm::isCancelled)) {
      visits.accept(
          visit -> {
            visit.onExecutor = onExecutor;
            looks.accept(visit);
          });
      alarm.cancel();
    }
  }
}
