package dev.pacegate.pekko;

import static java.util.Objects.requireNonNull;

import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.DelayStrategy;
import org.apache.pekko.stream.javadsl.Flow;

/**
 * Flows that delay each element as a strategy says, one element at a time.
 *
 * <p>The next element is taken in only when the last one has left. So elements keep their order,
 * and two of them leave at least as far apart as the second is delayed.
 *
 * <p><b>Ends.</b> When upstream completes, the element held goes first, after its delay. If
 * upstream fails or downstream cancels, the stage ends at once and the element held is dropped.
 *
 * <p>If the strategy throws, the supervision strategy decides: stop fails the stage, resume leaves
 * that element out, restart also begins with a new delay strategy.
 */
public final class Delay {

  private Delay() {}

  /**
   * Returns a flow that delays each element by {@code delay}; if that is not positive, by nothing.
   */
  public static <T> Flow<T, T, NotUsed> fixed(Duration delay) {
    requireNonNull(delay);
    return by(() -> element -> delay);
  }

  /**
   * Returns a flow with an increasing delay. While {@code increases} returns true, each element is
   * delayed by {@code step} more than the last, up to {@code max}; when it returns false, by {@code
   * initial}. The first element is compared with {@code initial}.
   *
   * @throws IllegalArgumentException unless {@code step} is positive and {@code 0 <= initial < max}
   */
  public static <T> Flow<T, T, NotUsed> linearIncreasing(
      Duration step, Duration initial, Duration max, Predicate<? super T> increases) {
    return by(LinearDelay.strategies(step, initial, max, increases));
  }

  /** Returns a flow that delays as its strategy says; each materialisation has its own strategy. */
  public static <T> Flow<T, T, NotUsed> by(
      Supplier<? extends DelayStrategy<? super T>> strategies) {
    return on(Time.system(), strategies);
  }

  /** As {@link #by(Supplier)}, with another clock and timer: for tests. */
  public static <T> Flow<T, T, NotUsed> on(
      Time time, Supplier<? extends DelayStrategy<? super T>> strategies) {
    return Flow.fromGraph(new DelayStage<T>(requireNonNull(strategies), requireNonNull(time)));
  }
}
