package dev.pacegate.engine;

import dev.pacegate.LimiterListener;
import dev.pacegate.Share;
import dev.pacegate.StateFileException;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Outcome;
import dev.pacegate.state.BootClock;
import dev.pacegate.state.SavedState;
import dev.pacegate.time.Time;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a limiter is made of, as its builder says: there is more about each there.
 *
 * @param executor where futures are completed; {@link java.util.concurrent.CompletableFuture}'s own
 *     default if null
 * @param spinNanos how much of the end of a wait is spent spinning
 * @param stamped whether every permit knows the instant of its release
 * @param lateNanos what is sent later than that is charged again
 * @param state where to keep what is released, if anywhere
 * @param machine what tells the time between processes
 * @param lanes the lanes by name, one of them {@link #DEFAULT_LANE}
 */
public record Options(
    String name,
    Limit limit,
    Time time,
    @Nullable Executor executor,
    int maxWaiting,
    long spinNanos,
    boolean stamped,
    long lateNanos,
    Function<? super Throwable, Outcome> classifier,
    @Nullable LimiterListener listener,
    @Nullable Path state,
    @Nullable BootClock machine,
    Map<String, Share> lanes) {

  /** The lane of calls that name none. */
  public static final String DEFAULT_LANE = "default";

  @Nullable SavedState openState(long reading) {
    if (state == null) {
      return null;
    }
    try {
      BootClock here = machine == null ? BootClock.here() : machine;
      return SavedState.open(state, limit, here, reading, time);
    } catch (IOException e) {
      throw new StateFileException(e);
    }
  }
}
