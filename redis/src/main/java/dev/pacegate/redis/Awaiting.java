package dev.pacegate.redis;

import dev.pacegate.time.Durations;
import dev.pacegate.time.Time;
import dev.pacegate.time.Timer.Scheduled;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Calls that wait for something else before they are made. They are late as others are. */
final class Awaiting {

  private Awaiting() {}

  /** Does one of the two when it is known, and tells the caller if that takes long. */
  static <T> void until(
      CompletableFuture<T> known,
      Time time,
      Caller caller,
      Consumer<T> then,
      Consumer<Throwable> otherwise) {
    var why = new TimeoutException("no answer for " + Durations.brief(Store.LATE));
    Scheduled lateness =
        known.isDone()
            ? null
            : time.at(time.nanoTime() + Store.LATE.toNanos(), () -> caller.late(why));
    var unused =
        known.whenComplete(
            (value, failure) -> {
              if (lateness != null) {
                lateness.cancel();
              }
              if (failure == null) {
                then.accept(value);
              } else {
                otherwise.accept(failure);
              }
            });
  }
}
