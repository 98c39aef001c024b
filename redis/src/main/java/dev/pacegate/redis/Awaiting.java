package dev.pacegate.redis;

import static java.util.Objects.requireNonNull;

import dev.pacegate.time.Durations;
import dev.pacegate.time.Time;
import dev.pacegate.time.Timer.Scheduled;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Calls that wait for something else before they are made. They are late as others are. */
final class Awaiting {

  private Awaiting() {}

  /**
   * Does one of the two when it is known, and tells the caller whenever that takes long. If the
   * first cannot be done, does the other: so a caller is not left without an answer.
   */
  static <T> void until(
      CompletableFuture<T> known,
      Time time,
      Caller caller,
      Consumer<T> then,
      Consumer<Throwable> otherwise) {
    awaitLateness(known, time, caller, Store.LATE.toNanos());
    var unused =
        known
            .thenAccept(then)
            .exceptionally(
                failure -> {
                  otherwise.accept(requireNonNull(Causes.cause(failure)));
                  return null;
                });
  }

  private static void awaitLateness(
      CompletableFuture<?> known, Time time, Caller caller, long patience) {
    if (known.isDone()) {
      return;
    }
    Scheduled lateness =
        time.at(
            time.nanoTime() + patience,
            () -> {
              awaitLateness(known, time, caller, 2 * patience);
              caller.late(new TimeoutException("no answer for " + Durations.brief(Store.LATE)));
            });
    var unused = known.whenComplete((value, failure) -> lateness.cancel());
  }
}
