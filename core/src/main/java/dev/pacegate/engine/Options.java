package dev.pacegate.engine;

import dev.pacegate.LimiterListener;
import dev.pacegate.Share;
import dev.pacegate.StateFileException;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Outcome;
import dev.pacegate.state.BootClock;
import dev.pacegate.state.SavedState;
import dev.pacegate.state.StateInUseException;
import dev.pacegate.time.Time;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The options of a limiter, as its builder collects them: see there.
 *
 * @param executor completes futures; threads of the library if null
 * @param spinNanos how much of the end of a wait is spent spinning
 * @param stamped whether every permit knows the instant of its release
 * @param lateNanos requests sent later than this after their release are charged again
 * @param state the state file, if any
 * @param machine the clock between processes
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
      throw new StateFileException(e, e instanceof StateInUseException);
    }
  }
}
