package dev.pacegate.pekko;

import static java.util.Objects.requireNonNull;

import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Flow;

/**
 * Flows that aggregate elements without holding up upstream, and pass on one aggregate per
 * interval: Pekko's {@code conflateWithSeed} before a {@link Pulse}.
 *
 * <p><b>Promise.</b> Two aggregates leave at least the interval apart. An element that comes after
 * silence leaves at once, as an aggregate of its own. When upstream completes, the last aggregate
 * goes first, when it is due. If a function throws, the supervision strategy decides: stop fails
 * the stage, resume leaves the element out, restart drops the aggregate.
 */
public final class TimeWindow {

  private TimeWindow() {}

  /**
   * Returns a flow of aggregates.
   *
   * @param eager whether the first one leaves at once, rather than after an interval
   * @param seed makes an aggregate of its first element
   * @param aggregate adds an element
   * @throws IllegalArgumentException if {@code interval} is not positive, or more than a hundred
   *     years
   */
  public static <T, S> Flow<T, S, NotUsed> of(
      Duration interval,
      boolean eager,
      Function<? super T, ? extends S> seed,
      BiFunction<? super S, ? super T, ? extends S> aggregate) {
    return on(Time.system(), interval, eager, seed, aggregate);
  }

  /** As {@link #of(Duration, boolean, Function, BiFunction)}, with another clock: for tests. */
  public static <T, S> Flow<T, S, NotUsed> on(
      Time time,
      Duration interval,
      boolean eager,
      Function<? super T, ? extends S> seed,
      BiFunction<? super S, ? super T, ? extends S> aggregate) {
    requireNonNull(seed);
    requireNonNull(aggregate);
    Flow<S, S, NotUsed> pulse = Pulse.of(interval, eager, time);
    return Flow.<T>create().<S>conflateWithSeed(seed::apply, aggregate::apply).via(pulse);
  }
}
